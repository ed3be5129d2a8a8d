import { z } from 'zod';

const attributes = z.record(z.string(), z.unknown());

/** A span as the receiver keeps it, whichever encoding it came in. Ids in hexadecimal, times in nanoseconds as decimal text. */
export const receivedSpan = z.object({
  traceId: z.string(),
  spanId: z.string(),
  /** Absent for a root. */
  parentSpanId: z.string().optional(),
  name: z.string(),
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: z.number(),
  start: z.string(),
  end: z.string(),
  attributes,
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })),
  events: z.array(z.object({ name: z.string(), attributes })),
  /** 0 unset, 1 ok, 2 error. */
  status: z.object({ code: z.number(), message: z.string() }),
  scope: z.string(),
  resource: attributes,
});

export type ReceivedSpan = z.infer<typeof receivedSpan>;
