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

/** What the read-only API answers from; each function gives data that is fit to be shown (no secrets). */
export interface ApiPorts {
  lanes(): Promise<Json>;
  runs(query: RunsQuery): Promise<Json>;
  /** Undefined: nothing is known of the asset. */
  explain(fqn: string): Promise<Json | undefined>;
  connectors(): Promise<Json>;
  deadLetters(query: DeadLettersQuery): Promise<Json>;
}

/** Whether the replica can do its work. `checks`: name of the part → `ok`, or what is wrong with it. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}
