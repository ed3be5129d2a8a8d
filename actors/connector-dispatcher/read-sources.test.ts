import { describe, expect, it } from 'vitest';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { Connection } from '../../connectors/contract.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { sampleChannel, sampleConfig, sampleEntry, sampleHeld, TARGET } from '../../test/support/lane-samples.ts';
import { takeWork } from '../asset-coalescer/take-work.ts';
import { readSources } from './read-sources.ts';
import { fieldsToWrite } from './write-batch.ts';

const config = sampleConfig([sampleChannel('docs')]);
const entity = { columns: [{ name: 'amount', dataType: 'INT', description: 'd', tags: [] }] };
const changes = [
  ['description', 'a', 'b'],
  ['columns.amount.description', 'c', 'd'],
] as const;
const fields = fieldsToWrite([
  takeWork(sampleEntry([sampleHeld(1, { changes, entity }, config)], config), TARGET, config),
]);

function connection(read: (objects: readonly ObjectRef[]) => void): Connection {
  const unused = () => Promise.reject(new Error('not used'));
  return {
    check: unused,
    apply: unused,
    close: unused,
    async read(objects) {
      read(objects);
      return objects.map(({ column }) => ({ exists: true, description: column?.join('.') ?? 'the table' }));
    },
  };
}
const fault = (scope: 'object' | 'target') =>
  new ConnectorError({ class: 'transient', scope, code: 'lock', message: 'locked' });

describe('readSources', () => {
  it('reads the whole batch at once', async () => {
    let reads = 0;
    const answers = await readSources(
      fields,
      connection(() => {
        reads += 1;
      }),
    );
    expect(answers.map((answer) => 'source' in answer && answer.source.description)).toEqual(['the table', 'amount']);
    expect(reads).toBe(1);
  });

  it('an object that cannot be read keeps back nobody else', async () => {
    const answers = await readSources(
      fields,
      connection((objects) => {
        if (objects.some(({ column }) => column !== undefined)) throw fault('object');
      }),
    );
    expect(answers).toMatchObject([{ source: { exists: true } }, { failure: { code: 'lock' } }]);
  });

  it('a target that is away is thrown', async () => {
    const away = connection(() => {
      throw fault('target');
    });
    await expect(readSources(fields, away)).rejects.toThrow(ConnectorError);
  });
});
