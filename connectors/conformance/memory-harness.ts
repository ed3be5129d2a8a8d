import type { ObjectRef } from '../../src/domain/operation.ts';
import type { Connector } from '../contract.ts';
import type { ConformanceHarness } from './harness.ts';
import { memoryConnector, namesOf } from './memory-connector.ts';
import { addressOf, MemorySystem } from './memory-system.ts';

export const MEMORY_PASSWORD = 'open sesame 4711';

function ref(level: ObjectRef['level'], ...names: string[]): ObjectRef {
  const [schema, table, column] = names;
  return {
    level,
    entityType: level === 'schema' ? 'databaseSchema' : level === 'database' ? 'database' : 'table',
    fqn: ['memory', 'db', ...names].join('.'),
    service: 'memory',
    database: 'db',
    ...(schema === undefined ? {} : { schema }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column: [column] }),
  };
}

/** The in-memory system with some objects, and the given connector (or a mutant of it) in front. */
export function memoryHarness(
  build: (connector: Connector, system: MemorySystem) => Connector = (connector) => connector,
): ConformanceHarness {
  const system = new MemorySystem(MEMORY_PASSWORD);
  const objects = [
    { ref: ref('schema', 's'), kind: 'schema' },
    { ref: ref('table', 's', 't'), kind: 'table' },
    { ref: ref('table', 's', 'u'), kind: 'table' },
    { ref: ref('table', 's', 'v'), kind: 'view' },
    { ref: ref('column', 's', 't', 'a'), kind: 'column' },
    { ref: ref('column', 's', 't', 'b'), kind: 'column' },
    { ref: ref('column', 's', 'u', 'a'), kind: 'column' },
  ];
  const hostileObjects = [`it's "odd"`, 'new\nline', 'dot.and blank ', '😀'].map((name) => ({
    ref: ref('table', name, name),
    kind: 'table',
  }));
  const forbidden = { ref: ref('table', 's', 'secret'), kind: 'table' };
  const databaseObject = { ref: ref('database'), kind: 'database' };
  for (const { ref: object, kind } of [...objects, ...hostileObjects, forbidden, databaseObject]) {
    system.add(namesOf(object), kind);
  }
  system.denied.add(addressOf(namesOf(forbidden.ref)));
  const connection = { hostPort: 'here:1', password: MEMORY_PASSWORD };
  return {
    connector: build(memoryConnector(new Map([['here:1', system]])), system),
    connection,
    wrongCredentials: { ...connection, password: 'guessed 0815' },
    unreachable: { ...connection, hostPort: 'nowhere:1' },
    secrets: [MEMORY_PASSWORD, 'guessed 0815'],
    objects: [...objects, databaseObject],
    hostileObjects,
    missing: [
      { what: 'a schema', ref: ref('schema', 'gone') },
      { what: 'a table', ref: ref('table', 's', 'gone') },
      { what: 'a column', ref: ref('column', 's', 't', 'gone') },
    ],
    principals: { first: 'ada', second: 'grace', missing: 'nobody' },
    forbidden,
    dump: async () => system.dump(),
    dumpKeys: (object, aspect) => [`${aspect} ${addressOf(namesOf(object))}`],
    executed: async () => system.takeJournal(),
    breakConnections: async () => system.breakSessions(),
    hold: async (object) => {
      const release = system.lock(namesOf(object));
      return async () => release();
    },
    templateFor(object, text) {
      const address = namesOf(object)
        .map((name) => `"${name.replaceAll('"', '""')}"`)
        .join('.');
      return [`DESCRIBE ${address} 'interim'`, `DESCRIBE ${address} '${text.replaceAll("'", "''")}'`];
    },
  };
}
