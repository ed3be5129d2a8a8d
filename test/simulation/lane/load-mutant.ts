import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { LaneModule } from './lane-world.ts';
import type { LaneMutant } from './mutants.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Loads a copy of the lane, and of what it imports, with the mutant's edits. `remove` deletes the temporary folder. */
export async function loadLaneMutant(mutant: LaneMutant): Promise<{ module: LaneModule; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'lane-mutant-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    for (const part of ['actors', 'src', 'connectors', 'streams'])
      await cp(join(ROOT, part), join(folder, part), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    for (const { file, from, to } of mutant.edits) {
      const path = join(folder, file);
      const parts = (await readFile(path, 'utf8')).split(from);
      if (parts.length !== 2)
        throw new Error(
          `Mutant "${mutant.name}" is out of date: "${from}" stands ${parts.length - 1} times in ${file}.`,
        );
      await writeFile(path, parts.join(to));
    }
    const load = (path: string) => import(/* @vite-ignore */ pathToFileURL(join(folder, path)).href);
    const { lane } = await load('actors/lane/lane.ts');
    const { ConnectorError } = await load('connectors/connector-error.ts');
    return { module: { lane, ConnectorError }, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
