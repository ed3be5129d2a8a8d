import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { allConnectors, connectorFor } from './registry.ts';

describe('registry', () => {
  it('finds a connector by its name and by service type, whatever the case', () => {
    for (const wanted of ['postgres', 'Postgres', 'POSTGRES']) {
      expect(connectorFor(wanted)?.spec.name).toBe('postgres');
    }
    expect(connectorFor('NoSuchSystem')).toBeUndefined();
  });

  it('knows every name and service type once', () => {
    const words = allConnectors().map(({ spec }) =>
      [spec.name, ...spec.serviceTypes].map((word) => word.toLowerCase()),
    );
    const distinct = words.flatMap((own) => [...new Set(own)]);
    expect(new Set(distinct).size).toBe(distinct.length);
  });

  it('loads no driver', () => {
    const url = new URL('./registry.ts', import.meta.url).href;
    const script = `await import(${JSON.stringify(url)});
      const { createRequire } = await import('node:module');
      const loaded = Object.keys(createRequire(import.meta.url).cache).concat(process.moduleLoadList ?? []);
      console.log(JSON.stringify(loaded.filter((path) => /node_modules.(pg|mysql2|mssql|tedious|oracledb|@clickhouse)./.test(path))));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual([]);
  });
});
