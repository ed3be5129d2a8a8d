import { z } from 'zod';
import { ASPECTS, LEVELS } from '../domain/entity.ts';
import type { Json } from '../domain/json.ts';
import { parseDuration } from './duration.ts';

/** A name that shows in logs, metrics and commands: no control characters, not blank at its ends. */
const name = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'must not be longer than 256 characters')
  .refine((text) => text === text.trim(), 'must not begin or end with a blank')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), 'must not hold control characters');

/** Any JSON; numbers are finite. */
const json: z.ZodType<Json> = z.json();

const rateLimit = z.strictObject({
  /** Statements per second. */
  perSecond: z.number().positive().max(100_000).optional(),
  burst: z.number().int().min(1).max(1_000_000).optional(),
  /** Writes under way at once. */
  concurrency: z.number().int().min(1).max(256).optional(),
  /** Operations in one batch at the most. */
  batch: z.number().int().min(1).max(10_000).optional(),
});

const target = z.strictObject({
  /** The service's name in OpenMetadata. */
  service: name,
  /** OpenMetadata's own connection JSON; secrets stand as `${ENV}` or `${file:/path}`. */
  connection: z.record(z.string(), json),
  rateLimit: rateLimit.optional(),
  paused: z.boolean().optional(),
  /** Lanes that share the work of this target; more than one needs nats-server 2.10. */
  partitions: z.number().int().min(1).max(64).optional(),
});

const slot = z.strictObject({
  aspect: z.enum(ASPECTS).optional(),
  level: z.enum(LEVELS).optional(),
  action: z.enum(['set', 'clear', 'add', 'remove']).optional(),
  sql: z.string().min(1).max(65_536),
});

const clearLimit = z.strictObject({
  /** Fields that may be cleared within `per`; 0 holds every clear. */
  clears: z.number().int().min(0).max(1_000_000).optional(),
  per: z
    .string()
    .refine((text) => parseDuration(text) !== undefined, 'must be a duration such as 30s, 10m or 2h')
    .optional(),
});

const pattern = z.string().min(1).max(1000);

const channel = z.strictObject({
  name,
  /** Higher comes first. */
  priority: z.number().int().min(-1_000_000).max(1_000_000).optional(),
  /** JsonLogic on the entity document. */
  filter: json.optional(),
  include: z.array(pattern).max(1000).optional(),
  exclude: z.array(pattern).max(1000).optional(),
  update: z
    .strictObject({
      descriptions: z.boolean().optional(),
      tags: z.boolean().optional(),
      owners: z.boolean().optional(),
    })
    .optional(),
  levels: z.array(z.enum(LEVELS)).min(1).optional(),
  mode: z.enum(['write', 'observe']).optional(),
  onDrift: z.string().optional(),
  /** `plain` takes Markdown and HTML marks away. */
  description: z.enum(['as-is', 'plain']).optional(),
  sinkService: name.optional(),
  template: z.string().min(1).max(65_536).optional(),
  templates: z.array(slot).min(1).max(64).optional(),
  acceptRace: z.boolean().optional(),
  /** How much may be cleared before the channel holds and waits for a release. */
  guard: z
    .union([z.literal(['off', false]), clearLimit], {
      error: 'must be off, or a limit such as { clears: 50, per: 10m }',
    })
    .optional(),
});

const owners = z.strictObject({
  /** Name of a user or team in the catalogue → principal in the source. */
  map: z.record(z.string().min(1), z.string().min(1).max(256)).optional(),
  team: z.enum(['role', 'skip']).optional(),
  multiple: z.enum(['first', 'skip']).optional(),
});

/**
 * The configuration as it is written (design §7): defaults are not filled in, so that it can be compared, stored and
 * exported as its author meant it. The compiler fills them in.
 */
export const configSchema = z.strictObject({
  targets: z.array(target).max(1000).optional(),
  channels: z.array(channel).max(1000).optional(),
  owners: owners.optional(),
  /** Users whose changes are never written back. */
  ignoreUsers: z.array(z.string().min(1).max(256)).optional(),
});

export type ConfigDocument = z.output<typeof configSchema>;
export type TargetDocument = z.output<typeof target>;
export type ChannelDocument = z.output<typeof channel>;
export type TemplateDocument = z.output<typeof slot>;
