import { err, ok, type Result } from '../../src/domain/result.ts';

/** How we log in. Holds secrets. */
export type Login =
  | { readonly kind: 'sql'; readonly user: string; readonly password: string }
  | { readonly kind: 'ntlm'; readonly domain: string; readonly user: string; readonly password: string }
  | {
      readonly kind: 'entra-password';
      readonly user: string;
      readonly password: string;
      readonly clientId: string;
      readonly tenantId: string;
    }
  | {
      readonly kind: 'entra-service-principal';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly tenantId: string;
    }
  | { readonly kind: 'entra-managed-identity'; readonly clientId?: string }
  | { readonly kind: 'entra-default' };

/** What a connection says about logging in, wherever in it that stands. */
export interface LoginSettings {
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** `SqlPassword`, `ActiveDirectoryPassword`, …, any case; undefined: SQL or Windows login, as the user's name says. */
  readonly authentication: string | undefined;
  readonly trusted: boolean;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly tenantId: string | undefined;
}

const SUPPORTED =
  'SqlPassword, ActiveDirectoryPassword, ActiveDirectoryServicePrincipal, ActiveDirectoryMsi or ActiveDirectoryDefault';

/** Picks the way of logging in; the error says what is not supported or missing. */
export function chooseLogin(settings: LoginSettings): Result<Login, string> {
  const { clientId, clientSecret, tenantId, user, password } = settings;
  if (settings.trusted) {
    return err(
      `Trusted_Connection (the identity of the process) is not supported. Use a SQL login, DOMAIN\\user with a password, or ${SUPPORTED}.`,
    );
  }
  const way = (settings.authentication ?? '').toLowerCase().replaceAll(/[\s_]/g, '');
  switch (way) {
    case '':
      if (clientId !== undefined && clientSecret !== undefined)
        return servicePrincipal(clientId, clientSecret, tenantId);
      return passwordLogin(user, password);
    case 'sqlpassword':
      return passwordLogin(user, password);
    case 'activedirectorypassword':
      if (user === undefined || password === undefined)
        return err('ActiveDirectoryPassword needs username and password.');
      if (clientId === undefined || tenantId === undefined) {
        return err(
          'ActiveDirectoryPassword needs azureConfig: { clientId, tenantId } of an application that may ask for tokens of Azure SQL.',
        );
      }
      return ok({ kind: 'entra-password', user, password, clientId, tenantId });
    case 'activedirectoryserviceprincipal':
      return servicePrincipal(clientId ?? user, clientSecret ?? password, tenantId);
    case 'activedirectorymsi':
    case 'activedirectorymanagedidentity': {
      const identity = clientId ?? user;
      return ok({ kind: 'entra-managed-identity', ...(identity === undefined ? {} : { clientId: identity }) });
    }
    case 'activedirectorydefault':
      return ok({ kind: 'entra-default' });
    default:
      return err(`${settings.authentication} is not supported. Use ${SUPPORTED}.`);
  }
}

function servicePrincipal(
  clientId: string | undefined,
  clientSecret: string | undefined,
  tenantId: string | undefined,
): Result<Login, string> {
  if (clientId === undefined || clientSecret === undefined || tenantId === undefined) {
    return err(
      'ActiveDirectoryServicePrincipal needs the client id, its secret and the tenant: azureConfig: { clientId, clientSecret, tenantId }.',
    );
  }
  return ok({ kind: 'entra-service-principal', clientId, clientSecret, tenantId });
}

function passwordLogin(user: string | undefined, password: string | undefined): Result<Login, string> {
  if (user === undefined) return err('username is missing.');
  if (password === undefined) return err('the password is missing; SQL Server has no login without one.');
  const domain = /^([^\\]+)\\(.+)$/s.exec(user);
  if (domain?.[1] === undefined || domain[2] === undefined) return ok({ kind: 'sql', user, password });
  return ok({ kind: 'ntlm', domain: domain[1], user: domain[2], password });
}
