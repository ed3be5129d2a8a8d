import { z } from 'zod';
import { allConnectors, connectorFor } from '../../connectors/registry.ts';
import type { ConfigPointer, ConfigStore } from '../../streams/nats/config-store.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { compileConfig } from '../config/compile.ts';
import type { CompiledConfig } from '../config/compiled.ts';
import { type ConfigDifference, diffConfig } from '../config/diff.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ConfigProblem } from '../config/problem.ts';
import { decodeRevision, encodeRevision, type StoredRevision } from '../config/revision.ts';
import type { ConfigDocument } from '../config/schema.ts';
import { err, ok, type Result } from '../domain/result.ts';

/** The pointer's note: hash of the last file that `serve` or `apply` put in force, so that a restart never undoes the console. */
const noteSchema = z.object({ fileHash: z.string().optional() });

export interface AppliedConfig {
  readonly revision: number;
  readonly changes: readonly ConfigDifference[];
  /** False: the document is already in force, and no revision was made. */
  readonly applied: boolean;
}

/** Checks the whole of a loaded configuration, as `apply` and `validate` do. */
export function checkConfig(loaded: LoadedConfig, revision = 0): Result<CompiledConfig, readonly ConfigProblem[]> {
  return compileConfig(
    loaded.document,
    { allConnectors, connectorFor },
    { revision, hash: loaded.hash, locate: loaded.locate },
  );
}

/** Puts a configuration in force as a new revision: checked whole, stored once, the pointer swapped by compare-and-set. */
export async function applyConfig(
  store: ConfigStore,
  loaded: LoadedConfig,
  by: string,
): Promise<Result<AppliedConfig, readonly ConfigProblem[]>> {
  const checked = checkConfig(loaded);
  if (!checked.ok) return checked;
  for (let attempt = 0; ; attempt += 1) {
    const pointer = await store.pointer();
    const before = pointer === undefined ? undefined : await readRevision(store, pointer.revision);
    const changes = diffConfig(before?.document ?? {}, loaded.document);
    if (pointer !== undefined && before !== undefined && changes.length === 0 && fileHashOf(pointer) === loaded.hash) {
      return ok({ revision: pointer.revision, changes, applied: false });
    }
    const revision = await store.putRevision(
      encodeRevision({ v: 1, document: loaded.document, hash: loaded.hash, at: Date.now(), by }),
    );
    try {
      await store.swapPointer(pointer, revision, JSON.stringify({ fileHash: loaded.hash }));
      return ok({ revision, changes, applied: true });
    } catch (error) {
      // Somebody else applied at the same moment: compare with theirs and try again.
      if (!(error instanceof StreamError) || error.code !== 'conflict' || attempt >= 4) throw error;
    }
  }
}

/** What `serve` does with its file at start: applied only when it differs from the last file applied. */
export async function applyStartFile(
  store: ConfigStore,
  loaded: LoadedConfig,
  by: string,
): Promise<Result<AppliedConfig, readonly ConfigProblem[]>> {
  const pointer = await store.pointer();
  if (pointer !== undefined && fileHashOf(pointer) === loaded.hash)
    return ok({ revision: pointer.revision, changes: [], applied: false });
  return applyConfig(store, loaded, by);
}

export async function readRevision(store: ConfigStore, revision: number): Promise<StoredRevision | undefined> {
  const text = await store.getRevision(revision);
  return text === undefined ? undefined : decodeRevision(text);
}

/** The document in force, or undefined before the first `apply`. */
export async function documentInForce(
  store: ConfigStore,
): Promise<{ readonly revision: number; readonly document: ConfigDocument } | undefined> {
  const pointer = await store.pointer();
  if (pointer === undefined) return undefined;
  const stored = await readRevision(store, pointer.revision);
  return stored === undefined ? undefined : { revision: pointer.revision, document: stored.document };
}

/** Compiles a stored revision; what was valid when it was applied may not be for this version of the program. */
export async function compileRevision(
  store: ConfigStore,
  revision: number,
): Promise<Result<CompiledConfig, readonly ConfigProblem[]>> {
  const stored = await readRevision(store, revision);
  if (stored === undefined)
    return err([{ path: [], message: `revision ${revision} is not stored; apply the configuration again` }]);
  return compileConfig(stored.document, { allConnectors, connectorFor }, { revision, hash: stored.hash });
}

function fileHashOf(pointer: ConfigPointer): string | undefined {
  try {
    return noteSchema.parse(JSON.parse(pointer.note)).fileHash;
  } catch {
    return undefined;
  }
}
