import type { TrinoSource } from './connection-json.ts';

/** How the server learns who is there. A client certificate goes with `none`: it is shown while TLS is set up. */
export type Login =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'client-credentials';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope?: string;
    };

type Refuse = (path: readonly string[], message: string) => void;

const NONE: Login = { kind: 'none' };

/** Picks the login out of the connection by the key that is present: OpenMetadata's variants have no other mark. */
export function loginOf({ authType, password, backflow }: TrinoSource, refuse: Refuse): Login {
  if (backflow.oauth2 !== undefined) {
    const { scope, ...oauth2 } = backflow.oauth2;
    checkTokenUrl(oauth2.tokenUrl, refuse);
    return { kind: 'client-credentials', ...oauth2, ...(scope === undefined ? {} : { scope }) };
  }
  if (typeof authType === 'string') {
    refuse(
      ['authType'],
      /^oauth2?$/i.test(authType)
        ? 'OAuth2 means a login in a browser, which a service cannot do. Add backflow: { oauth2: { tokenUrl, clientId, clientSecret, scope } } for client credentials.'
        : 'is not a known way to log in. Use { password: … }, { jwt: … }, { azureConfig: … } or OAuth2.',
    );
    return NONE;
  }
  const given = authType?.password ?? password;
  if (given !== undefined && given !== '') return { kind: 'password', password: given };
  if (authType?.jwt !== undefined) return tokenLogin(authType.jwt, refuse);
  if (authType?.azureConfig !== undefined) return azureLogin(authType.azureConfig, refuse);
  if (authType?.awsConfig !== undefined) {
    refuse(
      ['authType', 'awsConfig'],
      'AWS IAM authentication is not supported. Use a password, a token or a certificate.',
    );
  }
  return NONE;
}

function tokenLogin(token: string, refuse: Refuse): Login {
  if (!/^[!-~]+$/.test(token)) refuse(['authType', 'jwt'], 'must be one token of printable ASCII.');
  return { kind: 'token', token };
}

type AzureConfig = NonNullable<Exclude<NonNullable<TrinoSource['authType']>, string>['azureConfig']>;

/** Azure's identity as OpenMetadata uses it: a token for the scopes, sent like any other. */
function azureLogin({ clientId, clientSecret, tenantId, scopes }: AzureConfig, refuse: Refuse): Login {
  if (clientId === undefined || clientSecret === undefined || tenantId === undefined) {
    refuse(
      ['authType', 'azureConfig'],
      'needs clientId, clientSecret and tenantId: the managed identity of a machine is not supported.',
    );
    return NONE;
  }
  const scope = (scopes ?? '').split(/[,\s]+/).filter((one) => one !== '');
  if (scope.length === 0)
    refuse(['authType', 'azureConfig', 'scopes'], 'must name the scope of the Trino application.');
  const tokenUrl = `https://login.microsoftonline.com/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  return { kind: 'client-credentials', tokenUrl, clientId, clientSecret, scope: scope.join(' ') };
}

function checkTokenUrl(tokenUrl: string, refuse: Refuse): void {
  const { protocol, hostname } = new URL(tokenUrl);
  const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && loopback)) return;
  refuse(['backflow', 'oauth2', 'tokenUrl'], 'must be an https address: the client secret is sent to it.');
}
