import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyProgram } from '../support/program-copy.ts';
import { type ChaosSources, startSources } from './chaos-sources.ts';
import { stoppedOwner } from './stopped-owner.ts';

const TIMEOUT_MS = 240_000;

describe('P8 an owner that is stopped while its statement is on the way', () => {
  let sources: ChaosSources;

  beforeAll(async () => {
    sources = await startSources();
  });

  afterAll(() => sources?.stop());

  it(
    'does not make the value of the next owner go back',
    async () => {
      expect(await stoppedOwner(sources, 'stopped')).toBe('the third');
    },
    TIMEOUT_MS,
  );

  it(
    'would, if a new owner did not end the sessions of the one before it',
    async () => {
      const { root, remove } = await copyProgram('no fence', [
        {
          file: 'connectors/postgres/connection.ts',
          from: 'beforeFirstUse: (session) => endOlderSessions(session, name)',
          to: 'beforeFirstUse: async () => void endOlderSessions',
        },
      ]);
      try {
        expect(await stoppedOwner(sources, 'unfenced', root)).toBe('the second');
      } finally {
        await remove();
      }
    },
    TIMEOUT_MS,
  );
});
