import type { IamLogin } from './config.ts';

/** A name and password that the cluster takes until `expiresAt` (milliseconds since 1970). */
export interface ClusterLogin {
  readonly user: string;
  readonly password: string;
  readonly expiresAt: number;
}

/** What a temporary login is asked for. */
export interface LoginRequest extends IamLogin {
  readonly user: string;
  /** Absent: good for every database of the cluster. */
  readonly database?: string;
}

/** Gets a temporary login from AWS (GetClusterCredentials, or GetCredentials for a workgroup). Throws `ConnectorError`. */
export type LoginSigner = (request: LoginRequest) => Promise<ClusterLogin>;

/** A login is renewed when it has less than this left, in milliseconds. */
const SPARE_MS = 60_000;

/** Hands out one login until it is about to end. Callers that come while it is being asked for share the answer. */
export function renewedLogin(
  signer: LoginSigner,
  request: LoginRequest,
  now: () => number,
): () => Promise<ClusterLogin> {
  let current: Promise<ClusterLogin> | undefined;
  const renew = (): Promise<ClusterLogin> => {
    const asked = signer(request);
    current = asked;
    asked.catch(() => {
      if (current === asked) current = undefined;
    });
    return asked;
  };
  return async () => {
    const known = current ?? renew();
    const login = await known;
    if (login.expiresAt - now() > SPARE_MS) return login;
    // Somebody else may have renewed it while we looked.
    return current === known || current === undefined ? renew() : current;
  };
}
