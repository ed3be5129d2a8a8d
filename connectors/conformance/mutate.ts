import type { Result } from '../../src/domain/result.ts';
import { ConnectorError } from '../connector-error.ts';
import type { Connection, Connector, Plan, PlannedWrite, Refusal, SourceObject, WriteResult } from '../contract.ts';
import type { MemorySystem } from './memory-system.ts';

/** Makes a connector wrong in one way. */
export type Mutate = (connector: Connector, system: MemorySystem) => Connector;
type Planned = Result<Plan, Refusal>;
type Results = readonly WriteResult[];

let count = 0;
export function counter(): number {
  count += 1;
  return count;
}

export function value(plan: Plan): Planned {
  return { ok: true, value: plan };
}

export function plans(change: (planned: Planned) => Planned): Mutate {
  return (connector) => ({ ...connector, plan: (...given) => change(connector.plan(...given)) });
}

export function statements(change: (statement: string) => string): Mutate {
  return (connector) => ({
    ...connector,
    plan(operation, source, options) {
      const planned = connector.plan(operation, source, options);
      if (!planned.ok || options.template !== undefined) return planned;
      return value({ ...planned.value, statements: planned.value.statements.map(change) });
    },
  });
}

export function bound(connection: Connection): Connection {
  return {
    check: (objects) => connection.check(objects),
    read: (objects) => connection.read(objects),
    apply: (writes) => connection.apply(writes),
    close: () => connection.close(),
  };
}

export function connections(change: (connection: Connection, system: MemorySystem) => Connection): Mutate {
  return (connector, system) => ({
    ...connector,
    open: async (config, session) => change(await connector.open(config, session), system),
  });
}

type Apply = (writes: readonly PlannedWrite[], connection: Connection, system: MemorySystem) => Promise<Results>;
export function applies(apply: Apply): Mutate {
  return connections((connection, system) => ({
    ...bound(connection),
    apply: (writes) => apply(writes, connection, system),
  }));
}

export function results(change: (all: Results) => Results): Mutate {
  return applies(async (writes, connection) => change(await connection.apply(writes)));
}

export function reads(change: (sources: readonly SourceObject[]) => readonly SourceObject[]): Mutate {
  return connections((connection) => ({
    ...bound(connection),
    read: async (objects) => change(await connection.read(objects)),
  }));
}

export function errors(change: (error: ConnectorError) => Error): Mutate {
  const changed = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw error instanceof ConnectorError ? change(error) : error;
    }
  };
  return (connector) => ({
    ...connector,
    open: (config, session) =>
      changed(async () => {
        const connection = await connector.open(config, session);
        return {
          ...bound(connection),
          read: (objects) => changed(() => connection.read(objects)),
          apply: (writes) => changed(() => connection.apply(writes)),
        };
      }),
  });
}

/** Writes nothing, and answers reads with what should have been written. */
export function remembers(connector: Connector, system: MemorySystem): Connector {
  const memory = new Map<string, string | undefined>();
  return connections((connection) => ({
    ...bound(connection),
    async read(objects) {
      const sources = await connection.read(objects);
      return sources.map((source, place) => {
        const key = JSON.stringify(objects[place]);
        const { description: _, ...rest } = source;
        const text = memory.get(key);
        return memory.has(key) ? { ...rest, ...(text === undefined ? {} : { description: text }) } : source;
      });
    },
    async apply(writes) {
      for (const { operation, plan } of writes) memory.set(JSON.stringify(operation.object), plan.value);
      return writes.map(({ id }): WriteResult => ({ id, ok: true, verified: 'read' }));
    },
  }))(connector, system);
}

/** Keeps on failing after the first fault, as a driver does whose connection is never opened again. */
export function neverComesBack(connector: Connector, system: MemorySystem): Connector {
  let first: unknown;
  return connections((connection) => {
    const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
      if (first !== undefined) throw first;
      try {
        return await work();
      } catch (error) {
        first = error;
        throw error;
      }
    };
    return {
      ...bound(connection),
      read: (objects) => guarded(() => connection.read(objects)),
      apply: (writes) => guarded(() => connection.apply(writes)),
    };
  })(connector, system);
}
