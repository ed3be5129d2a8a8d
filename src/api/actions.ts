import { z } from 'zod';
import type { Json } from '../domain/json.ts';
import type { ApiPorts } from './ports.ts';

/** One endpoint that changes something (POST, JSON body). `run` parses the body itself; undefined means that nothing has that name. */
export interface ApiAction {
  readonly path: string;
  readonly summary: string;
  readonly body: z.ZodType;
  run(body: unknown, ports: ApiPorts): Promise<Json | undefined>;
}

const name = z.string().min(1).max(256);
const target = name.describe('Name of the service');
const channel = name.describe('Name of the channel');
const reason = z.string().max(1_000).optional().describe('Kept with the pause, for whoever looks at it');

const EITHER = { error: 'name either a target or a channel, and nothing else' };
const PAUSE = z.union([z.strictObject({ target, reason }), z.strictObject({ channel, reason })], EITHER);
const RESUME = z.union([z.strictObject({ target }), z.strictObject({ channel })], EITHER);
const RELEASE = z.strictObject({ channel, target: target.optional().describe('Only on this target') });

function action<B extends z.ZodType>(
  path: string,
  summary: string,
  body: B,
  run: (body: z.output<B>, ports: ApiPorts) => Promise<Json | undefined>,
): ApiAction {
  return { path, summary, body, run: (given, ports) => run(body.parse(given), ports) };
}

/** What an operator can switch while the service runs; each does the same as the command of its name. */
export const API_ACTIONS: readonly ApiAction[] = [
  action('/pause', 'Stop writing to a target, or what a channel writes; the changes wait', PAUSE, (body, ports) =>
    ports.pause(body),
  ),
  action('/resume', 'Go on writing to a paused target, or what a paused channel writes', RESUME, (body, ports) =>
    ports.resume(body),
  ),
  action('/release', 'Let a channel clear what its guard holds back', RELEASE, (body, ports) => ports.release(body)),
];
