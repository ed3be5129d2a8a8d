import type { Json } from '../domain/json.ts';

export interface RunsQuery {
  readonly limit: number;
  readonly target?: string | undefined;
  readonly status?: string | undefined;
  /** FQN of an asset. */
  readonly asset?: string | undefined;
}

export interface DeadLettersQuery {
  readonly limit: number;
  readonly target?: string | undefined;
}

/** One target, or one channel. */
export type Pausable = { readonly target: string } | { readonly channel: string };

/** What the API answers from; each function gives data that is fit to be shown (no secrets). */
export interface ApiPorts {
  lanes(): Promise<Json>;
  runs(query: RunsQuery): Promise<Json>;
  /** Undefined: nothing is known of the asset. */
  explain(fqn: string): Promise<Json | undefined>;
  connectors(): Promise<Json>;
  deadLetters(query: DeadLettersQuery): Promise<Json>;
  /** Undefined, as for the next two: nothing of that name is configured. */
  pause(what: Pausable & { readonly reason?: string | undefined }): Promise<Json | undefined>;
  resume(what: Pausable): Promise<Json | undefined>;
  release(what: { readonly channel: string; readonly target?: string | undefined }): Promise<Json | undefined>;
}

/** Whether the replica can do its work. `checks`: name of the part → `ok`, or what is wrong with it. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}
