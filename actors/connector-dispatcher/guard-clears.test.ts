import { describe, expect, it } from 'vitest';
import { memoryConnector } from '../../connectors/conformance/memory-connector.ts';
import type { SourceObject } from '../../connectors/contract.ts';
import type { Channel } from '../../src/channels/channel.ts';
import {
  type SampleEvent,
  sampleChannel,
  sampleConfig,
  sampleEntry,
  sampleHeld,
  TARGET,
} from '../../test/support/lane-samples.ts';
import { takeWork } from '../asset-coalescer/take-work.ts';
import type { ClearAsked } from '../lane/lane-ports.ts';
import { type FieldToSend, passGuard } from './guard-clears.ts';
import { fieldsToWrite, planField } from './write-batch.ts';

const connector = memoryConnector(new Map());
const guarded = sampleChannel('docs', { guard: { clears: 1, perMs: 1_000 } });
const STANDS: SourceObject = { exists: true, kind: 'table', description: 'old', owner: 'role_ana', tags: [] };

/** What would be sent for the fields of an event. */
function sends(event: SampleEvent, channel: Channel = guarded, source: SourceObject = STANDS): readonly FieldToSend[] {
  const config = sampleConfig([channel]);
  const entry = sampleEntry([sampleHeld(7, event, config)], config);
  return fieldsToWrite([takeWork(entry, TARGET, config)]).flatMap((field) => {
    const planned = planField(field, source, connector);
    return 'write' in planned ? [planned] : [];
  });
}

async function asked(event: SampleEvent, channel?: Channel, source?: SourceObject) {
  const questions: ClearAsked[] = [];
  const pass = async (clears: readonly ClearAsked[]) => {
    questions.push(...clears);
    return clears.map(() => false);
  };
  const answer = await passGuard(sends(event, channel, source), { pass });
  return { questions, go: answer.go.length, held: answer.held.map(({ field }) => field.field.open.key) };
}

const EMPTIED: SampleEvent = {
  changes: [['description', 'old', undefined]],
  entity: { description: undefined },
};

describe('passGuard', () => {
  it('asks about what would be emptied, and lets the rest go', async () => {
    const { questions, go, held } = await asked(EMPTIED);
    expect(questions).toMatchObject([
      { channel: { name: 'docs' }, sequence: 7, id: expect.stringContaining('description') },
    ]);
    expect([go, held]).toEqual([0, ['description']]);
    expect(await asked({})).toMatchObject({ questions: [], go: 1, held: [] });
  });

  it('tags that are unset count once for their field, and only where one of them stands in the source', async () => {
    const label = (tagFQN: string) => ({ tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' });
    const removed: SampleEvent = {
      changes: [['tags', JSON.stringify([label('PII.Sensitive'), label('PII.None')]), '[]']],
      entity: { tags: [] },
    };
    const tags = [{ key: 'PII', value: 'Sensitive' }];
    expect(await asked(removed, guarded, { ...STANDS, tags })).toMatchObject({ questions: [{ sequence: 7 }], go: 0 });
    expect(await asked(removed, guarded, STANDS)).toMatchObject({ questions: [] });
  });

  it('asks nobody for channels without a guard, and for those that only observe', async () => {
    expect(await asked(EMPTIED, sampleChannel('free'))).toMatchObject({ questions: [], go: 1 });
    expect(await asked(EMPTIED, { ...guarded, mode: 'observe' })).toMatchObject({ questions: [], go: 0 });
    expect((await passGuard(sends(EMPTIED), undefined)).go).toHaveLength(1);
  });
});
