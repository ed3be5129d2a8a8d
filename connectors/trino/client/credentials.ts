import { ConnectorError } from '../../connector-error.ts';
import type { Login } from '../login.ts';

/** The value of the `Authorization` header, made anew where that is needed. */
export interface Credentials {
  /** Undefined: there is none. Throws when no token can be had. */
  authorization(): Promise<string | undefined>;
  /** The server did not take the last value. True: another may be better, so try once more. */
  rejected(): boolean;
}

/** A token is renewed this long before its end, so that it does not end on the way. */
const MARGIN_MS = 30_000;
const DEFAULT_LIFE_MS = 300_000;
const TOKEN_TIMEOUT_MS = 10_000;

/** `now`: milliseconds of any clock that does not go back. */
export function credentialsFor(user: string, login: Login, now: () => number = () => performance.now()): Credentials {
  switch (login.kind) {
    case 'none':
      return fixed(undefined);
    case 'password':
      return fixed(`Basic ${Buffer.from(`${user}:${login.password}`, 'utf8').toString('base64')}`);
    case 'token':
      return fixed(`Bearer ${login.token}`);
    case 'client-credentials':
      return new TokenCredentials(login, now);
  }
}

function fixed(value: string | undefined): Credentials {
  return { authorization: async () => value, rejected: () => false };
}

type ClientCredentials = Extract<Login, { kind: 'client-credentials' }>;

interface Token {
  readonly value: string;
  readonly until: number;
}

/**
 * OAuth 2.0 client credentials (RFC 6749, 4.4). One token for all requests; whoever finds none, or one past its time, waits for the one
 * that is being fetched.
 */
class TokenCredentials implements Credentials {
  readonly #login: ClientCredentials;
  readonly #now: () => number;
  #token: Promise<Token> | undefined;

  constructor(login: ClientCredentials, now: () => number) {
    this.#login = login;
    this.#now = now;
  }

  async authorization(): Promise<string> {
    const before = this.#token;
    const kept = await before?.catch(() => undefined);
    if (kept !== undefined && kept.until > this.#now()) return `Bearer ${kept.value}`;
    if (this.#token === before || this.#token === undefined) this.#token = this.#fetch();
    return `Bearer ${(await this.#token).value}`;
  }

  rejected(): boolean {
    this.#token = undefined;
    return true;
  }

  async #fetch(): Promise<Token> {
    const { tokenUrl, clientId, clientSecret, scope } = this.#login;
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) });
    const pair = [clientId, clientSecret].map(encodeURIComponent).join(':');
    let answer: Response;
    let body: unknown;
    try {
      answer = await fetch(tokenUrl, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from(pair).toString('base64')}`, Accept: 'application/json' },
        body: form,
        redirect: 'error',
        signal: AbortSignal.timeout(TOKEN_TIMEOUT_MS),
      });
      body = await answer.json().catch(() => undefined);
    } catch {
      // Not passed on as the cause: it may hold the request with its headers.
      throw tokenError('transient', 'token-unreachable', 'The token endpoint cannot be reached.');
    }
    if (!answer.ok) {
      const refused = answer.status < 500 && answer.status !== 429;
      const text = refused
        ? `The token endpoint refused the client (HTTP ${answer.status}). Check clientId, clientSecret and scope.`
        : `The token endpoint is not available (HTTP ${answer.status}).`;
      throw tokenError(refused ? 'auth' : 'transient', `token-http-${answer.status}`, text);
    }
    return this.#parse(body);
  }

  #parse(body: unknown): Token {
    const fields: Readonly<Record<string, unknown>> = typeof body === 'object' && body !== null ? { ...body } : {};
    const { access_token: value, expires_in: seconds } = fields;
    if (typeof value !== 'string' || !/^[!-~]+$/.test(value)) {
      throw tokenError('auth', 'token-malformed', 'The token endpoint answered without a token.');
    }
    const life = Number(seconds) > 0 ? Number(seconds) * 1000 : DEFAULT_LIFE_MS;
    return { value, until: this.#now() + Math.max(life - MARGIN_MS, life / 2) };
  }
}

function tokenError(failureClass: 'auth' | 'transient', code: string, message: string): ConnectorError {
  return new ConnectorError({ class: failureClass, scope: 'target', code, message });
}
