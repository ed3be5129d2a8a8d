import type { Aspect } from '../../src/domain/entity.ts';
import { ASPECTS, LEVELS } from '../../src/domain/entity.ts';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import { always, type Check, claims } from './check.ts';
import { UNSENDABLE_TEXTS } from './hostile-cases.ts';
import type { Kit } from './kit.ts';
import { describeAs, giveTo, nameOf, tagWith } from './operations.ts';

/** What must be refused before anything is sent, and how. */
export const REFUSAL_CHECKS: readonly Check[] = [
  {
    name: 'refuses NUL and lone surrogates before anything is sent',
    applies: claims('description'),
    async run(kit) {
      await kit.harness.executed();
      const before = await kit.harness.dump();
      for (const { ref } of kit.oneForEachLevel('description')) {
        const source = await kit.readOne(ref);
        for (const [what, text] of UNSENDABLE_TEXTS) {
          refused(kit, `${what} in the text`, kit.plan(describeAs(ref, text), source), ['invalid'], 'failed');
          // Behind a text that is cut it is not to be overlooked either.
          const long = 'x'.repeat(200_000) + text;
          refused(kit, `${what} in a long text`, kit.plan(describeAs(ref, long), source), ['invalid'], 'failed');
          if (kit.ability('owners', ref.level) !== undefined) {
            refused(kit, `${what} in the owner`, kit.plan(giveTo(ref, text), source), ['invalid'], 'failed');
          }
          if (ref.level === 'database') continue;
          const odd = renamed(ref, text);
          const found = await kit.readOne(odd);
          if (found.exists) kit.problem(`${what} in the name`, 'such an object is said to exist');
          const classes = ['invalid', 'not_found', 'unsupported'];
          refused(kit, `${what} in the name`, kit.plan(describeAs(odd, 'x'), found), classes);
          const blind = kit.plan(describeAs(odd, 'x'), undefined);
          refused(kit, `${what} in the name, unread`, blind, classes);
        }
      }
      for (const statement of await kit.harness.executed())
        kit.problem('statements', `something was sent: ${statement}`);
      kit.onlyChanged(before, await kit.harness.dump(), []);
    },
  },
  {
    name: 'refuses what it does not claim, as skipped and with a reason',
    applies: always,
    async run(kit) {
      for (const aspect of ASPECTS) {
        for (const level of LEVELS) {
          const claimed = kit.ability(aspect, level);
          const object = kit.harness.objects.find(({ ref }) => ref.level === level);
          if (object === undefined) continue;
          const source = await kit.readOne(object.ref);
          const where = `${aspect} of a ${level}`;
          if (claimed === undefined) {
            const planned = kit.plan(setting(aspect, object.ref), source);
            refused(kit, `setting ${where}`, planned, ['unsupported'], 'skipped');
          }
          if (claimed === undefined || !claimed.clear) {
            const planned = kit.plan(clearing(aspect, object.ref), source);
            refused(kit, `clearing ${where}`, planned, ['unsupported'], 'skipped');
          }
        }
      }
    },
  },
  {
    name: 'finds that a missing object is missing, and plans nothing for it',
    applies: always,
    async run(kit) {
      if (kit.harness.missing.length === 0) kit.problem('harness', 'it names no missing objects');
      for (const { ref, what } of kit.harness.missing) {
        const source = await kit.readOne(ref);
        if (source.exists) kit.problem(what, 'is said to exist');
        if (kit.ability('description', ref.level) === undefined) continue;
        refused(kit, what, kit.plan(describeAs(ref, 'x'), source), ['not_found'], 'failed');
      }
    },
  },
  {
    name: 'plans the same for the same, and changes none of its arguments',
    applies: claims('description'),
    async run(kit) {
      for (const { ref } of kit.objectsFor('description')) {
        const operation = Object.freeze(describeAs(Object.freeze({ ...ref }), 'the same'));
        const source = Object.freeze(await kit.readOne(ref));
        const [one, other] = [kit.plan(operation, source), kit.plan(operation, source)];
        kit.same(nameOf(ref), 'the second plan', JSON.stringify(other), JSON.stringify(one));
        if (!one.ok) kit.problem(nameOf(ref), one.error.failure.message);
      }
    },
  },
];

function setting(aspect: Aspect, ref: ObjectRef): Operation {
  if (aspect === 'description') return describeAs(ref, 'x');
  return aspect === 'owners' ? giveTo(ref, 'somebody') : tagWith(ref, [{ key: 'PII', value: 'Sensitive' }]);
}

function clearing(aspect: Aspect, ref: ObjectRef): Operation {
  if (aspect === 'description') return describeAs(ref, undefined);
  return aspect === 'owners' ? giveTo(ref, undefined) : tagWith(ref, [], [{ key: 'PII', value: 'Sensitive' }]);
}

/** The same object with something added to its own name. */
function renamed(ref: ObjectRef, suffix: string): ObjectRef {
  if (ref.level === 'column') return { ...ref, column: [...(ref.column ?? []).slice(0, -1), `c${suffix}`] };
  return ref.level === 'schema' ? { ...ref, schema: `s${suffix}` } : { ...ref, table: `t${suffix}` };
}

function refused(
  kit: Kit,
  where: string,
  planned: ReturnType<Kit['plan']>,
  classes: readonly string[],
  outcome?: 'skipped' | 'failed',
): void {
  if (planned.ok) {
    kit.problem(where, 'is planned instead of refused');
    return;
  }
  const { failure } = planned.error;
  if (!classes.includes(failure.class))
    kit.problem(where, `is refused as ${failure.class}, not ${classes.join(' or ')}`);
  if (outcome !== undefined) kit.same(where, 'the outcome', planned.error.outcome, outcome);
  if (failure.message.trim() === '' || failure.code.trim() === '') kit.problem(where, 'is refused without a reason');
  kit.keepsSecrets(where, planned.error);
}
