import { describe, expect, it } from 'vitest';
import { memoryConnector } from '../../connectors/conformance/memory-connector.ts';
import type { PlannedWrite, SourceObject } from '../../connectors/contract.ts';
import type { Failure } from '../../src/domain/failure.ts';
import { sampleChannel, sampleConfig, sampleEntry, sampleHeld, TARGET } from '../../test/support/lane-samples.ts';
import { takeWork } from '../asset-coalescer/take-work.ts';
import { type BatchField, fieldsToWrite, planField, resultOf, unreadResult, wantedHash } from './write-batch.ts';

const connector = memoryConnector(new Map());
const STANDS: SourceObject = { exists: true, kind: 'table', description: 'old' };

function field(channel = sampleChannel('docs')): BatchField {
  const config = sampleConfig([channel]);
  const [first] = fieldsToWrite([takeWork(sampleEntry([sampleHeld(1, {}, config)], config), TARGET, config)]);
  if (first === undefined) throw new Error('nothing is to be written');
  return first;
}

function write(of: BatchField): PlannedWrite {
  const planned = planField(of, STANDS, connector);
  if (!('write' in planned)) throw new Error('nothing is written');
  return planned.write;
}

describe('planField', () => {
  it('writes what differs and leaves what is equal', () => {
    expect(write(field())).toMatchObject({ plan: { value: 'new' }, source: STANDS });
    const equal = planField(field(), { ...STANDS, description: 'new' }, connector);
    expect(equal).toMatchObject({ result: { status: 'unchanged', before: 'new', after: 'new', statements: [] } });
  });

  it('observes without a write, with the statement that it would run', () => {
    const observed = planField(field(sampleChannel('docs', { mode: 'observe' })), STANDS, connector);
    expect(observed).toMatchObject({ result: { status: 'observed', before: 'old', after: 'new' } });
    expect('result' in observed && observed.result.statements.length).toBe(1);
  });

  it('a refusal is the result; a plan that throws fails this field alone', () => {
    expect(planField(field(), { exists: false }, connector)).toMatchObject({
      result: { status: 'failed', failure: { class: 'not_found' } },
    });
    const broken = {
      ...connector,
      plan: () => {
        throw new TypeError('a mistake in a connector');
      },
    };
    expect(planField(field(), STANDS, broken)).toMatchObject({
      result: { status: 'failed', failure: { code: 'unexpected', scope: 'object' } },
    });
  });

  it('the equality of a template rests on what was written last', () => {
    const of = field();
    const template = { ...of, write: { ...of.write, template: ['SOMEWHERE ELSE'] } };
    expect(planField(template, { ...STANDS, description: 'new' }, connector)).toHaveProperty('write');
    const written = { ...template, field: { ...template.field, lastWritten: wantedHash(of.write.operation) } };
    expect(planField(written, STANDS, connector)).toMatchObject({ result: { status: 'unchanged' } });
  });
});

describe('resultOf', () => {
  const failed = (of: Partial<Failure>) => ({
    id: '0.0',
    ok: false as const,
    failure: { class: 'transient', scope: 'object', code: 'x', message: 'x', ...of } as const,
  });
  const status = (answer: ReturnType<typeof failed> | undefined, more = true) =>
    resultOf(field(), write(field()), answer, () => more).status;

  it('applied, with the value that stands there now', () => {
    const done = resultOf(
      field(),
      write(field()),
      { id: '0.0', ok: true, verified: 'commit', value: 'cut' },
      () => true,
    );
    expect(done).toMatchObject({ status: 'applied', before: 'old', after: 'cut', verified: 'commit', attempts: 1 });
  });

  it('tries again what another attempt may cure, as long as it may', () => {
    for (const failureClass of ['transient', 'conflict', 'throttled'] as const) {
      expect(status(failed({ class: failureClass }))).toBe('retry');
      expect(status(failed({ class: failureClass }), false)).toBe('failed');
    }
    for (const failureClass of ['permission', 'not_found', 'invalid', 'auth'] as const)
      expect(status(failed({ class: failureClass }))).toBe('failed');
    expect(status(failed({ class: 'unsupported' }))).toBe('skipped');
    expect(status(undefined)).toBe('retry');
    expect(status(undefined, false)).toBe('failed');
    expect(unreadResult(field(), failed({}).failure, () => true)).toMatchObject({ status: 'retry', attempts: 1 });
  });
});
