import { describe, expect, it } from 'vitest';
import { allConnectors, connectorFor } from '../../connectors/registry.ts';
import { compileConfig } from '../config/compile.ts';
import { parseConfig } from '../config/load.ts';
import { formatProblem } from '../config/problem.ts';
import { commentedExamples, EXAMPLE_CONFIG } from './example-config.ts';

describe('the examples in the demo configuration', () => {
  it('are a valid configuration', () => {
    const loaded = parseConfig([{ file: 'example.yaml', text: EXAMPLE_CONFIG }]);
    const compiled = loaded.ok
      ? compileConfig(
          loaded.value.document,
          { allConnectors, connectorFor },
          { revision: 1, hash: loaded.value.hash, locate: loaded.value.locate },
        )
      : loaded;
    expect(compiled.ok ? [] : compiled.error.map(formatProblem)).toEqual([]);
  });

  it('name every system that the demo itself does not start, each with a channel', () => {
    const loaded = parseConfig([{ file: 'example.yaml', text: EXAMPLE_CONFIG }]);
    const document = loaded.ok ? loaded.value.document : {};
    const shown = (document.targets ?? []).map((target) => connectorFor(String(target.connection.type))?.spec.name);
    const started = ['postgres', 'mysql'];
    expect([...shown, ...started].sort()).toEqual(
      allConnectors()
        .map(({ spec }) => spec.name)
        .sort(),
    );
    expect(document.channels?.length).toBe(document.targets?.length);
  });

  it('stand in the file as a comment only', () => {
    expect(
      commentedExamples()
        .split('\n')
        .every((line) => line === '' || line.startsWith('# ')),
    ).toBe(true);
  });
});
