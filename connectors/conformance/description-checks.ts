import { fitText, sizeOf } from '../text-limit.ts';
import { type Check, claims } from './check.ts';
import { HOSTILE_TEXTS } from './hostile-cases.ts';
import type { Kit } from './kit.ts';
import { describeAs, nameOf } from './operations.ts';

const applies = claims('description');

/** Descriptions: set, change, clear, hostile texts and names, limits, templates. */
export const DESCRIPTION_CHECKS: readonly Check[] = [
  {
    name: 'sets, changes and clears the description of every kind of object',
    applies,
    async run(kit) {
      for (const { ref } of kit.objectsFor('description')) {
        await kit.write(describeAs(ref, `first text of ${nameOf(ref)}`));
        await kit.write(describeAs(ref, 'second text'));
        if (kit.ability('description', ref.level)?.clear !== true) continue;
        await kit.write(describeAs(ref, undefined));
        await kit.write(describeAs(ref, 'third text'));
        // An empty text is no text.
        await kit.write(describeAs(ref, ''));
      }
    },
  },
  {
    name: 'writes hostile texts code point by code point, and then finds nothing left to do',
    applies,
    async run(kit) {
      for (const { ref } of kit.oneForEachLevel('description')) {
        for (const text of HOSTILE_TEXTS.values()) {
          await kit.write(describeAs(ref, text));
          // What was read is planned as itself: a second pass sees that source and catalogue agree.
          const source = await kit.readOne(ref);
          const again = kit.plan(describeAs(ref, source.description), source);
          kit.same(
            nameOf(ref),
            'the value planned again',
            again.ok ? again.value.value : 'refused',
            source.description,
          );
        }
      }
    },
  },
  {
    name: 'writes to objects with hostile names, and to no others',
    applies,
    async run(kit) {
      if (kit.harness.hostileObjects.length === 0) kit.problem('harness', 'it has no objects with hostile names');
      for (const { ref, kind } of kit.harness.hostileObjects) {
        if (kit.ability('description', ref.level)?.kinds.includes(kind) !== true) continue;
        await kit.write(describeAs(ref, `it's ${nameOf(ref)} \\`));
        if (kit.ability('description', ref.level)?.clear === true) await kit.write(describeAs(ref, undefined));
      }
    },
  },
  {
    name: 'takes texts up to the limit, cuts longer ones with a note, or refuses them when told to',
    applies: (spec) => spec.limits.some(({ aspect }) => aspect === 'description'),
    run: limits,
  },
  {
    name: 'runs the statements of a template as they are',
    applies,
    async run(kit) {
      const { templateFor } = kit.harness;
      if (templateFor === undefined) return;
      for (const { ref } of kit.oneForEachLevel('description')) {
        const text = "a template's text";
        const template = templateFor(ref, text);
        const planned = kit.plan(describeAs(ref, text), await kit.readOne(ref), { template });
        if (!planned.ok) kit.problem(nameOf(ref), `a template was refused: ${planned.error.failure.message}`);
        else kit.same(nameOf(ref), 'the plan', planned.value.statements.join('\n'), template.join('\n'));
        await kit.write(describeAs(ref, text), { template });
      }
    },
  },
];

async function limits(kit: Kit): Promise<void> {
  const { connector } = kit.harness;
  for (const limit of connector.spec.limits) {
    const object = kit.objectsFor(limit.aspect).find(({ ref }) => ref.level === limit.level);
    if (limit.aspect !== 'description' || object === undefined) continue;
    const { ref } = object;
    const where = `${limit.level} (${limit.max} ${limit.unit})`;
    const full = 'x'.repeat(limit.max);
    await kit.write(describeAs(ref, full));

    // Characters of several bytes, at every distance from the place of the cut.
    for (let shift = 0; shift < 4; shift += 1) {
      const long = 'x'.repeat(shift) + 'é😀'.repeat(limit.max);
      const planned = kit.plan(describeAs(ref, long), await kit.readOne(ref));
      if (!planned.ok) {
        kit.problem(where, `too long a text is refused by default: ${planned.error.failure.message}`);
        continue;
      }
      const { value, notes } = planned.value;
      if (notes.length === 0) kit.problem(where, 'the cut has no note');
      if (value === undefined || sizeOf(value, limit.unit) > limit.max) kit.problem(where, 'the cut text is too long');
      if (value !== undefined && !value.isWellFormed()) kit.problem(where, 'the cut splits a character');
      const fitted = fitText(kit.stored(long) ?? '', limit, 'cut');
      if (value === undefined || long.startsWith(value)) kit.problem(where, 'the cut has no visible mark');
      if (fitted.ok && shift === 0) kit.same(where, 'the cut text', value, fitted.value.text);
      if (shift === 0) await kit.write(describeAs(ref, long));
    }

    const refused = kit.plan(describeAs(ref, `${full}x`), await kit.readOne(ref), { overlong: 'refuse' });
    if (refused.ok) kit.problem(where, 'too long a text is not refused with overlong: refuse');
    else if (refused.error.failure.class !== 'invalid' || refused.error.outcome !== 'failed') {
      kit.problem(where, `too long a text is refused as ${refused.error.failure.class}, ${refused.error.outcome}`);
    }
    await kit.write(describeAs(ref, 'short again'));
  }
}
