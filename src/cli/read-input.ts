import { readFile } from 'node:fs/promises';
import { type LoadedConfig, loadConfig, parseConfig } from '../config/load.ts';
import type { ConfigProblem } from '../config/problem.ts';
import type { Result } from '../domain/result.ts';
import { UsageError } from './exit.ts';

/** A whole file, or standard input for `-`. Throws `UsageError` where it cannot be read. */
export async function readInput(path: string): Promise<Buffer> {
  if (path === '-') return readStandardInput();
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const hint = code === 'ENOENT' ? 'there is no such file' : code;
    throw new UsageError(`${path} cannot be read (${hint})`);
  }
}

/** The configuration of a file, a folder, or standard input. */
export async function readConfig(path: string): Promise<Result<LoadedConfig, readonly ConfigProblem[]>> {
  if (path !== '-') return loadConfig(path);
  return parseConfig([{ file: '<stdin>', text: (await readStandardInput()).toString('utf8') }]);
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
