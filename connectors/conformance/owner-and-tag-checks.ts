import type { Tag } from '../../src/domain/operation.ts';
import { type Check, claims } from './check.ts';
import { giveTo, nameOf, tagWith } from './operations.ts';

const TAGS: readonly Tag[] = [
  { key: 'PII', value: 'Sensitive' },
  { key: 'Tier', value: "Tier.1 'gold' \\" },
];

/** Owners and tags, for connectors that claim them. */
export const OWNER_AND_TAG_CHECKS: readonly Check[] = [
  {
    name: 'gives every kind of object to another owner and back',
    applies: claims('owners'),
    async run(kit) {
      const { principals } = kit.harness;
      if (principals === undefined) return kit.problem('harness', 'it names no principals');
      for (const { ref } of kit.objectsFor('owners')) {
        const former = (await kit.readOne(ref)).owner;
        await kit.write(giveTo(ref, principals.first));
        await kit.write(giveTo(ref, principals.second));
        await kit.write(giveTo(ref, former ?? principals.first));
      }
    },
  },
  {
    name: 'reports an owner that does not exist, and changes nothing',
    applies: claims('owners'),
    async run(kit) {
      const { principals } = kit.harness;
      if (principals === undefined) return kit.problem('harness', 'it names no principals');
      for (const { ref } of kit.oneForEachLevel('owners')) {
        const write = await kit.prepare(giveTo(ref, principals.missing));
        if (write === undefined) continue;
        const before = await kit.harness.dump();
        const result = (await kit.apply([write])).get(write.id);
        kit.onlyChanged(before, await kit.harness.dump(), []);
        if (result?.ok !== false) kit.problem(nameOf(ref), 'given to an owner that does not exist');
        else kit.same(nameOf(ref), 'the class', result.failure.class, 'not_found');
      }
    },
  },
  {
    name: 'sets and unsets tags on every kind of object',
    applies: claims('tags'),
    async run(kit) {
      for (const { ref } of kit.objectsFor('tags')) {
        await kit.write(tagWith(ref, TAGS));
        await kit.write(tagWith(ref, TAGS.slice(0, 1), TAGS.slice(1)));
        await kit.write(tagWith(ref, [], TAGS.slice(0, 1)));
      }
    },
  },
];
