import type { ReceivedSpan } from './otlp-span.ts';
import { bytesOf, numberOf, readProtobuf, textOf } from './protobuf-reader.ts';

// Field numbers are those of opentelemetry-proto: collector/trace/v1, trace/v1, common/v1, resource/v1.

/** Decodes an ExportTraceServiceRequest in protobuf. */
export function decodeProtobufTraces(body: Uint8Array): readonly ReceivedSpan[] {
  return bytesOf(readProtobuf(body), 1).flatMap((resourceSpans) => {
    const fields = readProtobuf(resourceSpans);
    const resource = bytesOf(fields, 1)[0];
    const resourceAttributes = resource === undefined ? {} : attributesOf(resource, 1);
    return bytesOf(fields, 2).flatMap((scopeSpans) => {
      const inner = readProtobuf(scopeSpans);
      const scope = bytesOf(inner, 1)[0];
      const name = scope === undefined ? '' : textOf(readProtobuf(scope), 1);
      return bytesOf(inner, 2).map((span) => spanOf(span, name, resourceAttributes));
    });
  });
}

function spanOf(bytes: Uint8Array, scope: string, resource: ReceivedSpan['resource']): ReceivedSpan {
  const fields = readProtobuf(bytes);
  const parentSpanId = hexOf(bytesOf(fields, 4)[0]);
  const status = bytesOf(fields, 15)[0];
  const statusFields = status === undefined ? [] : readProtobuf(status);
  return {
    traceId: hexOf(bytesOf(fields, 1)[0]),
    spanId: hexOf(bytesOf(fields, 2)[0]),
    ...(parentSpanId === '' ? {} : { parentSpanId }),
    name: textOf(fields, 5),
    kind: Number(numberOf(fields, 6)),
    start: numberOf(fields, 7).toString(),
    end: numberOf(fields, 8).toString(),
    attributes: attributesOf(bytes, 9),
    events: bytesOf(fields, 11).map((event) => ({
      name: textOf(readProtobuf(event), 2),
      attributes: attributesOf(event, 3),
    })),
    links: bytesOf(fields, 13).map((link) => {
      const linkFields = readProtobuf(link);
      return { traceId: hexOf(bytesOf(linkFields, 1)[0]), spanId: hexOf(bytesOf(linkFields, 2)[0]) };
    }),
    status: { code: Number(numberOf(statusFields, 3)), message: textOf(statusFields, 2) },
    scope,
    resource,
  };
}

/** The KeyValue entries that stand in a field of a message. */
function attributesOf(message: Uint8Array, field: number): Record<string, unknown> {
  return Object.fromEntries(
    bytesOf(readProtobuf(message), field).map((entry) => {
      const fields = readProtobuf(entry);
      const value = bytesOf(fields, 2)[0];
      return [textOf(fields, 1), value === undefined ? null : anyValue(value)];
    }),
  );
}

/** An AnyValue; integers beyond what a double holds exactly are given as they round. */
function anyValue(bytes: Uint8Array): unknown {
  const first = readProtobuf(bytes)[0];
  if (first === undefined) return null;
  const { field, value } = first;
  if (typeof value === 'bigint') {
    if (field === 2) return value !== 0n;
    if (field === 4) return doubleOf(value);
    return Number(BigInt.asIntN(64, value));
  }
  if (field === 1) return Buffer.from(value).toString('utf8');
  if (field === 5) return bytesOf(readProtobuf(value), 1).map(anyValue);
  if (field === 6) return attributesOf(value, 1);
  return hexOf(value);
}

function doubleOf(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

function hexOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? '' : Buffer.from(bytes).toString('hex');
}
