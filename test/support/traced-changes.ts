import { randomBytes } from 'node:crypto';
import { formatFqn } from '../../src/domain/fqn.ts';
import type { ReceivedSpan } from './otlp-span.ts';
import { belowOrLinked, chainOf, traceProblems } from './trace-chain.ts';

/** The stages of an applied change, from intake to the write. */
export const CHAIN = ['intake', 'CHANGES publish', 'CHANGES process', 'match', 'render', 'dispatch', 'write'] as const;

/** A sender's trace context, as an instrumented catalogue would send it. */
export function senderContext(): { readonly traceId: string; readonly spanId: string; readonly traceparent: string } {
  const traceId = randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` };
}

/**
 * What is wrong with the trace of an applied change: it has to be one tree below the sender's span, with the whole chain down to
 * `write`, and the driver's own span below the write or below the batch that the write links to.
 */
export function appliedProblems(
  spans: readonly ReceivedSpan[],
  sender: { readonly traceId: string; readonly spanId: string },
): readonly string[] {
  const problems = [...traceProblems(spans, { traceId: sender.traceId, incomingSpanId: sender.spanId })];
  const writes = spans.filter((span) => span.traceId === sender.traceId && span.name === 'write');
  if (writes.length === 0) problems.push('no write span');
  for (const write of writes) {
    const chain = chainOf(spans, write);
    if (JSON.stringify(chain) !== JSON.stringify(CHAIN)) problems.push(`the chain is ${chain.join(' → ')}`);
    const driver = belowOrLinked(spans, write).filter(
      (span) => /^(pg|mysql)/i.test(span.name) || /^@opentelemetry\/instrumentation-/.test(span.scope),
    );
    if (driver.length === 0) problems.push('no span of the driver below the write or its batch');
  }
  return problems;
}

let clock = Date.now() - 1_000_000;

/** A description change of a table without columns, as a 1.12 server sends it; each is newer than the one before. */
export function descriptionEvent(path: readonly [string, string, string, string], text: string, at?: number) {
  clock += 1_000;
  const time = at ?? clock;
  const fqn = formatFqn(path);
  const id = randomBytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const reference = (type: string, depth: number) => ({
    id: `${type}-${depth}`,
    type,
    name: path[depth - 1],
    fullyQualifiedName: formatFqn(path.slice(0, depth)),
  });
  const version = Math.round(time / 1_000) / 10;
  const changeDescription = {
    fieldsAdded: [],
    fieldsUpdated: [{ name: 'description', oldValue: 'before', newValue: text }],
    fieldsDeleted: [],
    previousVersion: version - 0.1,
  };
  const event = {
    id,
    eventType: 'entityUpdated',
    entityType: 'table',
    entityId: `entity-${fqn}`,
    entityFullyQualifiedName: fqn,
    currentVersion: version,
    userName: 'ana',
    timestamp: time,
    changeDescription,
    entity: JSON.stringify({
      id: `entity-${fqn}`,
      name: path[3],
      fullyQualifiedName: fqn,
      description: text,
      version,
      updatedAt: time,
      updatedBy: 'ana',
      tableType: 'Regular',
      columns: [],
      tags: [],
      owners: [],
      databaseSchema: reference('databaseSchema', 3),
      database: reference('database', 2),
      service: reference('databaseService', 1),
      serviceType: 'Postgres',
      deleted: false,
    }),
  };
  return { id, body: JSON.stringify(event) };
}
