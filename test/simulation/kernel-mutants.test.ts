import { context } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadMutant } from './kernel-mutants/load-mutant.ts';
import { MUTANTS } from './kernel-mutants/mutants.ts';
import { judge, PROPERTIES } from './kernel-properties.ts';

beforeAll(() => new NodeTracerProvider().register());
afterAll(() => context.disable());

describe('mutants of the actor kernel', () => {
  it.each(MUTANTS)('$name is noticed', async (mutant) => {
    const { kernel, remove } = await loadMutant(mutant);
    try {
      const verdict = await judge(kernel, PROPERTIES[mutant.breaks], 200);
      expect(verdict.failure).toMatch(/^seed \d+: /);
    } finally {
      await remove();
    }
  });

  it('an edit that no longer fits the sources is an error, not a mutant that survives', async () => {
    const outdated = { ...MUTANTS[0], name: 'outdated', edits: [{ file: 'cell.ts', from: 'no such line', to: '' }] };
    await expect(loadMutant({ breaks: 'oneHandler', ...outdated })).rejects.toThrow(/out of date/);
  });
});
