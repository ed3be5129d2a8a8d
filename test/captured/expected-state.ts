// What a source must hold after a folder of captures, from nothing but their snapshots, their step order and index.jsonl:
// node test/captured/expected-state.ts test/fixtures/real-1.12 [capture to stop after …] > test/captured/expected-1.12.json
import { readFileSync } from 'node:fs';

type Labels = { name?: string; tagFQN?: string; inherited?: boolean }[];
type Part = { name: string; description?: string; tags?: Labels; owners?: Labels };
type Line = { file: string; eventType: string; entityType: string; timestamp: number; fields: string[] };
export type Expected = { asset: string; column?: string; aspect: string; value: string | null; from: string };

function read(part: Part, aspect: string): string | null {
  if (aspect === 'description') return part.description || null;
  const labels = (aspect === 'tags' ? part.tags : part.owners) ?? [];
  const names = labels.map((label) => `${label.tagFQN ?? label.name}${label.inherited ? ' (inherited)' : ''}`);
  return names.sort().join(', ') || null;
}

/** Touched descriptions, owners and tags, down to top-level columns; entities and columns that are gone are left out. */
export function expectedState(folder: string, until = 'end'): Expected[] {
  const index = readFileSync(`${folder}/index.jsonl`, 'utf8').trim().split('\n');
  const lines: Line[] = index.map((line) => JSON.parse(line)).filter(({ file }) => until === 'end' || file <= until);
  const order = (line: Line) =>
    Number(line.file.slice(0, 4)) * 1e13 + line.timestamp + (/Del/.test(line.eventType) ? 0.5 : 0);
  const rows = new Map<string, { row: Expected; touched: boolean }>();
  for (const line of lines.sort((a, b) => order(a) - order(b))) {
    if (!/^(database|databaseSchema|table)$/.test(line.entityType)) continue;
    const { entity: sent, changeDescription } = JSON.parse(readFileSync(`${folder}/${line.file}`, 'utf8'));
    const entity = typeof sent === 'string' ? JSON.parse(sent) : sent;
    const asset = `${line.entityType} ${entity.fullyQualifiedName}`;
    const parts: Part[] = /Deleted$/.test(line.eventType) ? [] : [entity, ...(entity.columns ?? [])];
    for (const [key, { row }] of rows) {
      const here = row.column === undefined ? parts.length > 0 : parts.slice(1).some(({ name }) => name === row.column);
      if (row.asset === asset && !here) rows.delete(key);
    }
    const names = line.fields.map((field) => field.slice(1).replaceAll('"', ''));
    const whole = !changeDescription?.fieldsAdded || /Created|Restored|deleted|bulkImport/.test(line.eventType + names);
    const list = changeDescription?.fieldsAdded?.find(({ name }: Part) => name === 'columns')?.newValue ?? '[]';
    const columnsAdded: Part[] = JSON.parse(list);
    for (const part of parts) {
      const column = part === entity ? undefined : part.name;
      const added = column !== undefined && columnsAdded.some(({ name }) => name === column);
      for (const aspect of ['description', ...(entity.tags ? ['tags'] : []), ...(part.owners ? ['owners'] : [])]) {
        const key = JSON.stringify([asset, column, aspect]);
        const value = read(part, aspect);
        const named = names.includes(column === undefined ? aspect : `columns.${column}.${aspect}`);
        const former = rows.get(key);
        const silent = aspect === 'tags' && !named && former?.row.value !== value; // no event told of it
        const touched = (former?.touched && !silent) || named || ((whole || added) && value !== null);
        rows.set(key, { row: { asset, ...(column && { column }), aspect, value, from: line.file }, touched });
      }
    }
  }
  const kept = [...rows.values()].filter(({ row, touched }) => touched && (row.aspect !== 'owners' || row.value));
  return kept.map(({ row }) => row); // No source can hold "no owner".
}

const [folder = '', ...cuts] = import.meta.main ? process.argv.slice(2) : [];
const found =
  folder && ['end', ...cuts].flatMap((until) => expectedState(folder, until).map((row) => ({ until, ...row })));
if (found) console.log(JSON.stringify(found, null, 2));
