import type { PlannedWrite, WriteResult } from '../contract.ts';
import { type Check, claims } from './check.ts';
import type { WritableObject } from './harness.ts';
import type { Kit } from './kit.ts';
import { describeAs, nameOf } from './operations.ts';

const applies = claims('description');

/** Several writes at once: all of them, also when one is bad. */
export const BATCH_CHECKS: readonly Check[] = [
  {
    name: 'writes a batch over all kinds of objects',
    applies,
    async run(kit) {
      const writes = await batch(kit, kit.objectsFor('description'), 'of a batch');
      allStand(kit, writes, await kit.apply(writes));
      for (const { operation, plan } of writes) await kit.stands(operation, plan, nameOf(operation.object));
    },
  },
  {
    name: 'lets one bad item of a batch fail alone',
    applies,
    async run(kit) {
      const good = await batch(kit, kit.objectsFor('description'), 'beside a bad one');
      const bad = blindWrites(kit);
      if (bad.length === 0) return kit.problem('harness', 'no missing object can be planned for without being read');
      for (const [index, one] of bad.entries()) {
        const at = Math.floor(((index + 1) * good.length) / (bad.length + 1));
        const results = await kit.apply([...good.slice(0, at), one, ...good.slice(at)]);
        const result = results.get(one.id);
        const where = `missing ${nameOf(one.operation.object)}`;
        if (result?.ok !== false) kit.problem(where, 'is reported as written');
        else {
          kit.same(where, 'the class', result.failure.class, 'not_found');
          kit.same(where, 'the scope', result.failure.scope, 'object');
        }
        allStand(kit, good, results);
      }
      for (const { operation, plan } of good) await kit.stands(operation, plan, nameOf(operation.object));
    },
  },
  {
    name: 'fails each item of a batch that is bad throughout',
    applies,
    async run(kit) {
      const bad = blindWrites(kit);
      const results = await kit.apply(bad);
      for (const one of bad) {
        if (results.get(one.id)?.ok !== false) kit.problem(nameOf(one.operation.object), 'is reported as written');
      }
    },
  },
  {
    name: 'reads a batch in the order asked, repeated and missing objects included',
    applies,
    async run(kit) {
      const objects = kit.oneForEachLevel('description').map(({ ref }) => ref);
      for (const ref of objects) await kit.write(describeAs(ref, `I am ${nameOf(ref)}`));
      const [missing] = kit.harness.missing;
      const asked = [...objects, ...(missing === undefined ? [] : [missing.ref]), ...objects.slice(0, 1)];
      const sources = await (await kit.connection()).read(asked);
      if (sources.length !== asked.length) kit.problem('read', `${asked.length} asked, ${sources.length} answered`);
      for (const [index, ref] of asked.entries()) {
        const isMissing = ref === missing?.ref;
        const expected = isMissing ? undefined : kit.stored(`I am ${nameOf(ref)}`);
        kit.same(nameOf(ref), `answer ${index}`, sources[index]?.description, expected);
        if (sources[index]?.exists !== !isMissing) kit.problem(nameOf(ref), 'exists is wrong');
      }
      const none = await (await kit.connection()).read([]);
      if (none.length > 0) kit.problem('read', 'nothing asked, something answered');
      if ((await kit.apply([])).size > 0) kit.problem('apply', 'nothing written, something reported');
    },
  },
];

/** Every second object is cleared where that is possible, so that batches mix both. */
async function batch(kit: Kit, objects: readonly WritableObject[], text: string): Promise<readonly PlannedWrite[]> {
  const writes: PlannedWrite[] = [];
  for (const [index, { ref }] of objects.entries()) {
    const clear = index % 2 === 1 && kit.ability('description', ref.level)?.clear === true;
    if (clear) await kit.write(describeAs(ref, 'to be cleared'));
    const write = await kit.prepare(describeAs(ref, clear ? undefined : `'${index}' ${text}`));
    if (write !== undefined) writes.push(write);
  }
  return writes;
}

/** Writes to objects that are gone, planned as if nobody had looked: what happens when one is dropped after it was read. */
function blindWrites(kit: Kit): readonly PlannedWrite[] {
  return kit.harness.missing.flatMap(({ ref }) => {
    if (kit.ability('description', ref.level) === undefined) return [];
    const operation = describeAs(ref, 'x');
    const planned = kit.plan(operation, undefined);
    return planned.ok ? [kit.planned(operation, { exists: true }, planned.value)] : [];
  });
}

function allStand(kit: Kit, writes: readonly PlannedWrite[], results: ReadonlyMap<string, WriteResult>): void {
  for (const { id, operation } of writes) {
    const result = results.get(id);
    if (result?.ok === false) {
      kit.problem(nameOf(operation.object), `failed: ${result.failure.code}: ${result.failure.message}`);
    }
  }
}
