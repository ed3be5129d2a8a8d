import { z } from 'zod';
import type { Json } from '../domain/json.ts';
import type { ApiPorts } from './ports.ts';

export const API_PREFIX = '/api/v1';

/** One read-only endpoint. `answer` parses the query itself; undefined means that there is nothing at this place. */
export interface ApiRoute {
  readonly path: string;
  readonly summary: string;
  readonly query: z.ZodObject;
  answer(query: unknown, ports: ApiPorts): Promise<Json | undefined>;
}

const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(1_000)
  .default(100)
  .describe('Number of entries at most, the newest first');
const target = z.string().min(1).max(1_024).optional().describe('Only of this target (name of the service)');

const NOTHING = z.strictObject({});
const RUNS = z.strictObject({
  limit,
  target,
  status: z.enum(['applied', 'unchanged', 'superseded', 'skipped', 'failed', 'observed']).optional(),
  asset: z.string().min(1).max(4_096).optional().describe('Only of the asset with this fully qualified name'),
});
const EXPLAIN = z.strictObject({ fqn: z.string().min(1).max(4_096).describe('Fully qualified name of the asset') });
const DEAD_LETTERS = z.strictObject({ limit, target });

function route<Q extends z.ZodObject>(
  path: string,
  summary: string,
  query: Q,
  answer: (query: z.output<Q>, ports: ApiPorts) => Promise<Json | undefined>,
): ApiRoute {
  return { path, summary, query, answer: (given, ports) => answer(query.parse(given), ports) };
}

export const API_ROUTES: readonly ApiRoute[] = [
  route('/lanes', 'Lanes with their lag, credits and state', NOTHING, (_query, ports) => ports.lanes()),
  route('/runs', 'Recorded outcomes, the newest first', RUNS, (query, ports) => ports.runs(query)),
  route('/explain', 'What was decided about an asset, and why', EXPLAIN, (query, ports) => ports.explain(query.fqn)),
  route('/connectors', 'Connectors and what they can write', NOTHING, (_query, ports) => ports.connectors()),
  route('/dlq', 'Dead letters, the newest first', DEAD_LETTERS, (query, ports) => ports.deadLetters(query)),
];
