import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../domain/json.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { checkTree } from './check-tree.ts';
import { mergeDocuments, type SourceDocument } from './merge-documents.ts';
import { type ConfigProblem, type Locator, locateProblems } from './problem.ts';
import { type ConfigDocument, configSchema } from './schema.ts';
import { schemaProblems } from './schema-problems.ts';
import { type ConfigSource, MAX_FILE_BYTES, parseYaml, sourceHash } from './yaml-source.ts';

/** A configuration that was read and fits the schema; its meaning is checked by `compileConfig`. */
export interface LoadedConfig {
  readonly document: ConfigDocument;
  /** Hash of the source texts. */
  readonly hash: string;
  readonly locate: Locator;
}

const MAX_FILES = 1000;

/** Reads one YAML file, or all `*.yaml` and `*.yml` files that lie directly in a folder, in the order of their names. */
export async function loadConfig(path: string): Promise<Result<LoadedConfig, readonly ConfigProblem[]>> {
  const sources = await readSources(path);
  return sources.ok ? parseConfig(sources.value) : sources;
}

/** Parses the texts of a configuration. Their targets and channels are put together. */
export function parseConfig(sources: readonly ConfigSource[]): Result<LoadedConfig, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const documents: SourceDocument[] = [];
  for (const source of sources) {
    const parsed = parseYaml(source);
    if (!parsed.ok) {
      problems.push(...parsed.error);
      continue;
    }
    const { value, locate } = parsed.value;
    const document = parseConfigDocument(value);
    if (document.ok) documents.push({ document: document.value, locate });
    else problems.push(...locateProblems(document.error, locate));
  }
  if (problems.length > 0) return err(problems);
  const merged = mergeDocuments(documents);
  if (!merged.ok) return merged;
  return ok({ ...merged.value, hash: sourceHash(sources) });
}

/** Checks a value (of a YAML file, of a stored revision, of the console) against the schema. Problems have no file. */
export function parseConfigDocument(value: unknown): Result<ConfigDocument, readonly ConfigProblem[]> {
  if (value === null || value === undefined) return ok({});
  if (!isJsonObject(value)) {
    return err([{ path: [], message: 'a configuration is a map', hint: 'begin with "targets:" and "channels:"' }]);
  }
  const unsafe = checkTree(value);
  if (unsafe !== undefined) return err([unsafe]);
  const parsed = configSchema.safeParse(value);
  return parsed.success ? ok(parsed.data) : err(schemaProblems(configSchema, parsed.error.issues));
}

async function readSources(path: string): Promise<Result<readonly ConfigSource[], readonly ConfigProblem[]>> {
  try {
    const info = await stat(path);
    const files = info.isDirectory() ? await yamlFiles(path) : [path];
    if (files.length === 0) {
      return err([fileProblem(path, 'the folder holds no *.yaml or *.yml file', 'put the configuration into it')]);
    }
    if (files.length > MAX_FILES) return err([fileProblem(path, `the folder holds more than ${MAX_FILES} files`)]);
    const sources: ConfigSource[] = [];
    for (const file of files) {
      // A size is asked first, so that a huge file is never read into memory.
      const { size } = await stat(file);
      if (size > MAX_FILE_BYTES)
        return err([
          fileProblem(file, `the file is larger than ${MAX_FILE_BYTES} bytes`, 'split it into a folder of files'),
        ]);
      sources.push({ file, text: await readFile(file, 'utf8') });
    }
    return ok(sources);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    const hint = code === 'ENOENT' ? 'there is no such file or folder; check the path' : 'check that it can be read';
    return err([fileProblem(path, `the configuration cannot be read (${code})`, hint)]);
  }
}

async function yamlFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory() && /\.ya?ml$/i.test(entry.name) && !entry.name.startsWith('.'))
    .map((entry) => join(folder, entry.name))
    .sort();
}

function fileProblem(file: string, message: string, hint?: string): ConfigProblem {
  return { path: [], file, line: 1, column: 1, message, ...(hint === undefined ? {} : { hint }) };
}
