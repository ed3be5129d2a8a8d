import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { KernelModule } from '../kernel-world.ts';
import type { Mutant } from './mutants.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Loads a copy of the kernel with the mutant's edits from a temporary folder. `remove` deletes the folder. */
export async function loadMutant(mutant: Mutant): Promise<{ kernel: KernelModule; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-mutant-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await cp(join(ROOT, 'actors/kernel'), folder, { recursive: true });
    // Libraries resolve to the same instances as for the product, OpenTelemetry's context manager among them.
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    for (const { file, from, to } of mutant.edits) await edit(mutant.name, join(folder, file), from, to);
    const kernel: KernelModule = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'index.ts')).href);
    return { kernel, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function edit(mutant: string, path: string, from: string, to: string): Promise<void> {
  const parts = (await readFile(path, 'utf8')).split(from);
  if (parts.length !== 2) {
    throw new Error(
      `Mutant "${mutant}" is out of date: "${from}" stands ${parts.length - 1} times in ${path}, not once.`,
    );
  }
  await writeFile(path, parts.join(to));
}
