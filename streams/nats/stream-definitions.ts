import { DiscardPolicy, RetentionPolicy, type StreamConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { BUCKETS, STREAMS } from '../../src/domain/subjects.ts';

/** Sizes and times of the streams; what is absent keeps its default at creation and is left alone afterwards. */
export interface TopologyOptions {
  /** Copies of each stream and bucket in a cluster: 1, 3 or 5. */
  readonly replicas?: number;
  /** How long CHANGES keeps a change, milliseconds; default 14 days. */
  readonly changesMaxAgeMs?: number;
  /** Default 10 GB. */
  readonly changesMaxBytes?: number;
  readonly eventsMaxAgeMs?: number;
  readonly eventsMaxBytes?: number;
  readonly outcomesMaxBytes?: number;
  readonly deadLettersMaxBytes?: number;
  readonly parkedMaxBytes?: number;
  readonly objectsMaxBytes?: number;
}

/** A stream as we want it. `fixed` settings are what the service relies on, `tunable` ones an operator may choose. */
export interface StreamDefinition {
  readonly name: string;
  readonly subjects: readonly string[];
  readonly fixed: Partial<StreamConfig>;
  readonly tunable: Partial<StreamConfig>;
  /** Those of the tunable settings that were asked for in so many words: they are brought about on an existing stream. */
  readonly asked: ReadonlySet<keyof StreamConfig>;
}

const GB = 1024 ** 3;
const DAY = 24 * 60 * 60 * 1000;
/** Messages kept of one asset's outcomes: history, and the last one carries the sync state. */
const OUTCOMES_PER_ASSET = 50;
/** A publisher that sends the same id again within this time is answered "duplicate". */
const DUPLICATE_WINDOW_MS = 10 * 60 * 1000;

export function streamDefinitions(options: TopologyOptions): readonly StreamDefinition[] {
  return [
    define(
      STREAMS.events,
      ['events.>'],
      { discard: DiscardPolicy.Old },
      {
        max_age: sized(options.eventsMaxAgeMs, 7 * DAY, nanos),
        max_bytes: sized(options.eventsMaxBytes, 2 * GB),
      },
      options,
    ),
    define(
      STREAMS.changes,
      ['change.>'],
      { discard: DiscardPolicy.Old, duplicate_window: nanos(DUPLICATE_WINDOW_MS) },
      {
        max_age: sized(options.changesMaxAgeMs, 14 * DAY, nanos),
        max_bytes: sized(options.changesMaxBytes, 10 * GB),
      },
      options,
    ),
    // Full means that lanes pause: neither an outcome nor a sync state may push out another one.
    define(
      STREAMS.outcomes,
      ['outcome.>', 'bulk.>'],
      { discard: DiscardPolicy.New, max_msgs_per_subject: OUTCOMES_PER_ASSET, max_age: 0 },
      { max_bytes: sized(options.outcomesMaxBytes, 10 * GB) },
      options,
    ),
    define(
      STREAMS.deadLetters,
      ['deadletter.>'],
      { discard: DiscardPolicy.New, max_age: 0 },
      { max_bytes: sized(options.deadLettersMaxBytes, 2 * GB) },
      options,
    ),
    // The values of an outcome live at least as long as the outcome: there are never more of them on their subject.
    define(
      STREAMS.objects,
      ['object.>'],
      { discard: DiscardPolicy.New, max_msgs_per_subject: OUTCOMES_PER_ASSET, max_age: 0 },
      { max_bytes: sized(options.objectsMaxBytes, 2 * GB) },
      options,
    ),
    // Full means that waiting assets keep their credits.
    define(
      STREAMS.parked,
      ['parked.>'],
      { discard: DiscardPolicy.New, max_msgs_per_subject: 1, max_age: 0 },
      { max_bytes: sized(options.parkedMaxBytes, 2 * GB) },
      options,
    ),
  ];
}

/** Names of the KV buckets, each with history 1 and no time to live. */
export function bucketNames(): readonly string[] {
  return Object.values(BUCKETS);
}

interface Setting {
  readonly value: number;
  readonly asked: boolean;
}

function sized(asked: number | undefined, fallback: number, unit = (value: number) => value): Setting {
  return { value: unit(asked ?? fallback), asked: asked !== undefined };
}

function define(
  name: string,
  subjects: readonly string[],
  fixed: Partial<StreamConfig>,
  sizes: { readonly max_age?: Setting; readonly max_bytes: Setting },
  options: TopologyOptions,
): StreamDefinition {
  const asked = new Set<keyof StreamConfig>();
  if (sizes.max_age?.asked === true) asked.add('max_age');
  if (sizes.max_bytes.asked) asked.add('max_bytes');
  if (options.replicas !== undefined) asked.add('num_replicas');
  return {
    name,
    subjects,
    fixed: { retention: RetentionPolicy.Limits, allow_direct: true, ...fixed },
    tunable: {
      max_bytes: sizes.max_bytes.value,
      num_replicas: options.replicas ?? 1,
      ...(sizes.max_age === undefined ? {} : { max_age: sizes.max_age.value }),
    },
    asked,
  };
}
