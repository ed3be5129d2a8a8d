import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { copyProgram } from '../../support/program-copy.ts';
import type { LaneModule } from './lane-world.ts';
import type { LaneMutant } from './mutants.ts';

/** Loads a copy of the lane, and of what it imports, with the mutant's edits. `remove` deletes the temporary folder. */
export async function loadLaneMutant(mutant: LaneMutant): Promise<{ module: LaneModule; remove: () => Promise<void> }> {
  const { root, remove } = await copyProgram(mutant.name, mutant.edits);
  try {
    const load = (path: string) => import(/* @vite-ignore */ pathToFileURL(join(root, path)).href);
    const { lane } = await load('actors/lane/lane.ts');
    const { ConnectorError } = await load('connectors/connector-error.ts');
    return { module: { lane, ConnectorError }, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
