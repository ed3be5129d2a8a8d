import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** `from` stands exactly once in the file (a path from the root); otherwise the mutant is out of date and cannot be made. */
export interface ProgramEdit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A copy of the program's sources in a temporary folder, with these edits. `remove` deletes the folder. */
export async function copyProgram(
  name: string,
  edits: readonly ProgramEdit[],
): Promise<{ readonly root: string; readonly remove: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'backflow-mutant-'));
  const remove = () => rm(root, { recursive: true, force: true });
  try {
    for (const part of ['actors', 'bin', 'src', 'connectors', 'streams'])
      await cp(join(ROOT, part), join(root, part), { recursive: true });
    await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    await cp(join(ROOT, 'package.json'), join(root, 'package.json'));
    for (const { file, from, to } of edits) {
      const path = join(root, file);
      const parts = (await readFile(path, 'utf8')).split(from);
      if (parts.length !== 2)
        throw new Error(`Mutant "${name}" is out of date: "${from}" stands ${parts.length - 1} times in ${file}.`);
      await writeFile(path, parts.join(to));
    }
    return { root, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
