import type { NatsLink } from '../../streams/nats/connection.ts';
import { lookAtStream } from '../../streams/nats/stream-look.ts';
import { STREAMS } from '../domain/subjects.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { alarms, fill } from './retention-reach.ts';

const EVERY_MS = 5_000;
/** A message more, and it is full. */
const FULL_FROM = 0.99;

/** What waits when a stream is full that takes nothing more instead of discarding what is old; the others only lose their oldest. */
const WAITING: ReadonlyMap<string, string> = new Map([
  [STREAMS.outcomes, 'lanes wait until outcomes can be stored again'],
  [STREAMS.objects, 'lanes wait with what is too large for an outcome message'],
  [STREAMS.deadLetters, 'what fails waits until its dead letter can be stored'],
]);

type Alarm = 'calm' | 'near' | 'full';

export interface StreamWatchOptions {
  readonly link: NatsLink;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Watches how full the streams are: a gauge for each, and an alarm before lanes have to wait for room. */
export class StreamWatch {
  readonly #options: StreamWatchOptions;
  /** What the last look at each stream that lanes may wait for came to. */
  readonly #seen = new Map<string, { readonly alarm: Alarm; readonly percent: number }>();
  readonly #timer: NodeJS.Timeout;
  #looking = false;

  constructor(options: StreamWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#tick(), EVERY_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** `ok`, or which streams are nearly full, for people. */
  summary(): string {
    const near = [...this.#seen].filter(([, { alarm }]) => alarm !== 'calm');
    return near.length === 0 ? 'ok' : near.map(([stream, { percent }]) => `${stream} is ${percent} % full`).join(', ');
  }

  /** Looks at all streams once. One that cannot be looked at keeps what was last known of it. */
  async look(): Promise<void> {
    const { link, metrics } = this.#options;
    for (const stream of Object.values(STREAMS)) {
      const look = await lookAtStream(link, stream).catch(() => undefined);
      if (look === undefined) continue;
      const share = fill(look);
      metrics.streamFill(stream, share);
      const waiting = WAITING.get(stream);
      if (waiting !== undefined) this.#judge(stream, share, waiting);
    }
  }

  async #tick(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    await this.look();
    this.#looking = false;
  }

  #judge(stream: string, share: number, waiting: string): void {
    const before = this.#seen.get(stream)?.alarm ?? 'calm';
    const now = alarmAfter(before, share);
    const percent = Math.round(share * 100);
    this.#seen.set(stream, { alarm: now, percent });
    if (now === before) return;
    const { log } = this.#options;
    const advice = `give ${stream} more room (nats stream edit ${stream} --max-bytes)`;
    if (now === 'full') log.error({ stream, percent }, `${stream} is full: ${waiting}; ${advice}`);
    else if (now === 'near' && before === 'calm')
      log.warn({ stream, percent }, `${stream} is nearly full; when it is, ${waiting}; ${advice}`);
    else if (now === 'calm') log.info({ stream, percent }, `${stream} has room again`);
  }
}

function alarmAfter(before: Alarm, share: number): Alarm {
  if (share >= FULL_FROM) return 'full';
  return alarms(share, before !== 'calm') ? 'near' : 'calm';
}
