import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findServerBinary } from './server-binary.ts';

describe('findServerBinary', () => {
  it('finds the program on PATH, and names the ways to install it when there is none', () => {
    const [empty, full] = [mkdtempSync(join(tmpdir(), 'path-')), mkdtempSync(join(tmpdir(), 'path-'))];
    const program = join(full, 'nats-server');
    writeFileSync(program, '');
    chmodSync(program, 0o644);
    expect(() => findServerBinary(full, [])).toThrow(/apt-get install nats-server.*NATS_URL/);
    chmodSync(program, 0o755);
    expect(findServerBinary([empty, full].join(delimiter), [])).toBe(program);
    expect(findServerBinary('', [full])).toBe(program);
    rmSync(empty, { recursive: true });
    rmSync(full, { recursive: true });
  });
});
