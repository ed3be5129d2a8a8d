import { z } from 'zod';
import type { ObjectRef, Tag } from '../../src/domain/operation.ts';
import type { SourceObject } from '../contract.ts';
import { NAME_UNITS } from '../dialect/mssql-dialect.ts';
import type { MssqlConfig } from './config.ts';
import type { Classification, Detail } from './detail.ts';
import { type Missing, missingObject } from './missing.ts';
import type { Rows, Statements } from './session.ts';
import { DESCRIPTION_PROPERTY } from './spec.ts';
import type { Argument } from './step.ts';
import { tagsOfProperty } from './tag-property.ts';

export type ReadSettings = Pick<MssqlConfig, 'classification' | 'ownerChangeDropsPermissions'>;

/** Objects of one question; a request holds at most 2,100 parameters. */
const CHUNK = 100;

/** `sys.extended_properties.class`, which is also that of `sys.database_permissions`. */
const CLASS = { database: 0, schema: 3, table: 1, column: 1 } as const;

/** One row per asked object; `place` and `class` are numbers of ours, the names are bound. */
function fromObjects(rows: string): string {
  return `FROM (VALUES ${rows}) AS a (place, class, schema_name, object_name, column_name)
LEFT JOIN sys.schemas AS s ON s.name = a.schema_name
LEFT JOIN sys.objects AS o ON o.schema_id = s.schema_id AND o.name = a.object_name
LEFT JOIN sys.columns AS c ON c.object_id = o.object_id AND c.name = a.column_name`;
}

/** Names are found by the database's collation, and compared here as they are: collations ignore case, trailing blanks, even emoji. */
function questions(rows: string, classified: boolean): string {
  const from = fromObjects(rows);
  const questions = [
    `SELECT a.place AS place, s.name AS schema_name, o.name AS object_name, o.type AS object_type, c.name AS column_name,
  USER_NAME(s.principal_id) AS schema_owner, USER_NAME(o.principal_id) AS object_owner
${from}`,
    `SELECT a.place AS place, e.name AS name, CONVERT(nvarchar(3750), e.value) AS value
${from}
JOIN sys.extended_properties AS e ON e.class = a.class AND e.major_id = COALESCE(o.object_id, s.schema_id, 0) AND e.minor_id = COALESCE(c.column_id, 0)`,
    `SELECT a.place AS place
${from}
JOIN sys.database_permissions AS p ON p.class = a.class AND p.major_id = COALESCE(o.object_id, s.schema_id)`,
    'SELECT SUSER_SNAME(d.owner_sid) AS owner FROM sys.databases AS d WHERE d.name = DB_NAME()',
  ];
  if (classified) {
    questions.push(`SELECT a.place AS place, k.label AS label, k.label_id AS label_id, k.information_type AS information_type,
  k.information_type_id AS information_type_id, k.rank_desc AS rank_desc
${from}
JOIN sys.sensitivity_classifications AS k ON k.major_id = o.object_id AND k.minor_id = c.column_id`);
  }
  return questions.join(';\n');
}

const text = z.string().nullable();
const objectRow = z.object({
  place: z.number(),
  schema_name: text,
  object_name: text,
  object_type: text,
  column_name: text,
  schema_owner: text,
  object_owner: text,
});
const propertyRow = z.object({ place: z.number(), name: z.string(), value: text });
const permissionRow = z.object({ place: z.number() });
const ownerRow = z.object({ owner: text });
const classificationRow = z.object({
  place: z.number(),
  label: text,
  label_id: text,
  information_type: text,
  information_type_id: text,
  rank_desc: text,
});

type ObjectRow = z.infer<typeof objectRow>;

/** By `sys.objects.type`; what OpenMetadata does not call a table can stand where one was. */
const KINDS: Readonly<Record<string, string>> = {
  U: 'table',
  V: 'view',
  ET: 'external table',
  SN: 'synonym',
  P: 'procedure',
  SO: 'sequence',
  IF: 'function',
  TF: 'function',
  FN: 'function',
};

/** Present state of objects of the connected database, in the order asked; one round trip for a hundred. Throws `ConnectorError`. */
export async function readObjects(
  statements: Statements,
  objects: readonly ObjectRef[],
  settings: ReadSettings,
): Promise<readonly SourceObject[]> {
  const answers: SourceObject[] = objects.map((object) => missingObject(missingPart(object, undefined)));
  // A name that cannot be sent cannot exist.
  const places = objects.flatMap((object, place) => (canBeSent(object) ? [place] : []));
  for (let start = 0; start < places.length; start += CHUNK) {
    const chunk = places.slice(start, start + CHUNK);
    const asked = chunk.flatMap((place) => objects[place] ?? []);
    const found = await ask(statements, asked, settings);
    for (const [index, place] of chunk.entries()) answers[place] = found[index] ?? missingObject('object-missing');
  }
  return answers;
}

async function ask(
  statements: Statements,
  objects: readonly ObjectRef[],
  settings: ReadSettings,
): Promise<readonly SourceObject[]> {
  const args: Argument[] = [];
  const rows = objects.map((object, place) => {
    const names = [object.schema, object.table, object.column?.[0]].map((name, level) => {
      // A column of bare NULLs would be one of numbers, and comparing names with it an error (245).
      if (name === undefined) return 'CONVERT(nvarchar(128), NULL)';
      const argument = `n${place}_${level}`;
      args.push({ name: argument, value: name, units: NAME_UNITS });
      return `@${argument}`;
    });
    return `(${[place, CLASS[object.level], ...names].join(', ')})`;
  });
  const classified = settings.classification !== undefined;
  const answers = await statements.ask(questions(rows.join(', '), classified), args);
  const [objectRows = [], properties = [], permissions = [], owners = [], classifications = []] = answers;
  const byPlace = new Map(parsed(objectRow, objectRows).map((row) => [row.place, row]));
  const propertiesAt = groupByPlace(parsed(propertyRow, properties));
  const permissionsAt = groupByPlace(parsed(permissionRow, permissions));
  const classificationsAt = groupByPlace(parsed(classificationRow, classifications));
  const [database] = parsed(ownerRow, owners);
  return objects.map((object, place) => {
    const row = byPlace.get(place);
    if (row === undefined || !isThere(object, row)) return missingObject(missingPart(object, row));
    const owner = object.level === 'database' ? database?.owner : ownerOf(object, row);
    return toSource(object, row, owner ?? undefined, {
      properties: propertiesAt.get(place) ?? [],
      permissions: permissionsAt.get(place)?.length ?? 0,
      classification: classificationOf(classificationsAt.get(place)?.[0]),
      settings,
    });
  });
}

interface Found {
  readonly properties: readonly z.infer<typeof propertyRow>[];
  readonly permissions: number;
  readonly classification: Classification | undefined;
  readonly settings: ReadSettings;
}

function toSource(object: ObjectRef, row: ObjectRow, owner: string | undefined, found: Found): SourceObject {
  const { properties, permissions, classification, settings } = found;
  const rule = settings.classification;
  const description = properties.find(({ name }) => name === DESCRIPTION_PROPERTY)?.value ?? '';
  const tags: Tag[] = properties.flatMap(({ name, value }) => tagsOfProperty(name, value ?? ''));
  for (const part of ['label', 'informationType'] as const) {
    const [key, value] = [rule?.[part], classification?.[part]];
    if (key !== undefined && value !== undefined) tags.push({ key, value });
  }
  const detail: Detail = {
    properties: properties.map(({ name }) => name),
    permissions,
    mayDropPermissions: settings.ownerChangeDropsPermissions,
    ...(rule === undefined ? {} : { rule }),
    ...(classification === undefined ? {} : { classification }),
  };
  const type = row.object_type?.trim();
  return {
    exists: true,
    kind: type === undefined ? object.level : (KINDS[type] ?? `object of type ${type}`),
    tags,
    detail,
    ...(description === '' ? {} : { description }),
    ...(owner === undefined ? {} : { owner }),
  };
}

function isThere(object: ObjectRef, row: ObjectRow): boolean {
  const { schema, table, column, level } = object;
  if (level === 'database') return true;
  if (row.schema_name !== schema) return false;
  if (level === 'schema') return true;
  if (row.object_name !== table) return false;
  return level === 'table' || (column?.length === 1 && row.column_name === column[0]);
}

function missingPart(object: ObjectRef, row: ObjectRow | undefined): Missing {
  if (object.level === 'schema' || row?.schema_name !== object.schema) return 'schema-missing';
  return object.level === 'table' || row?.object_name !== object.table ? 'object-missing' : 'column-missing';
}

/** A table without an owner of its own has none that could be taken away. */
function ownerOf(object: ObjectRef, row: ObjectRow): string | null {
  if (object.level === 'column') return null;
  return object.level === 'schema' ? row.schema_owner : row.object_owner;
}

function classificationOf(row: z.infer<typeof classificationRow> | undefined): Classification | undefined {
  if (row === undefined) return undefined;
  const entries = [
    ['label', row.label],
    ['labelId', row.label_id],
    ['informationType', row.information_type],
    ['informationTypeId', row.information_type_id],
    ['rank', row.rank_desc],
  ].filter(([, value]) => value !== null && value !== '');
  return Object.fromEntries(entries);
}

function canBeSent(object: ObjectRef): boolean {
  const names = [object.schema, object.table, ...(object.column ?? [])];
  return names.every(
    (name) => name === undefined || (name.isWellFormed() && !name.includes('\0') && name.length <= NAME_UNITS),
  );
}

function parsed<Row>(schema: z.ZodType<Row>, rows: Rows): readonly Row[] {
  return z.array(schema).parse(rows);
}

function groupByPlace<Row extends { readonly place: number }>(
  rows: readonly Row[],
): ReadonlyMap<number, readonly Row[]> {
  return Map.groupBy(rows, ({ place }) => place);
}
