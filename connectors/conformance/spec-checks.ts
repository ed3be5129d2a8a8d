import { always, type Check } from './check.ts';
import { nameOf } from './operations.ts';

/** What the spec says about the connector, held against the harness. */
export const SPEC_CHECKS: readonly Check[] = [
  {
    name: 'has an object of every kind that it claims, and calls it by that kind',
    applies: always,
    async run(kit) {
      const { spec } = kit.harness.connector;
      for (const { aspect, level, kinds } of spec.abilities) {
        for (const kind of kinds) {
          const has = kit.harness.objects.some((object) => object.ref.level === level && object.kind === kind);
          if (!has) kit.problem('harness', `no ${kind} for ${aspect} on level ${level}`);
        }
      }
      for (const { ref, kind } of [...kit.harness.objects, ...kit.harness.hostileObjects]) {
        const source = await kit.readOne(ref);
        if (!source.exists) kit.problem(nameOf(ref), 'is not found');
        kit.same(nameOf(ref), 'the kind', source.kind, kind);
      }
    },
  },
  {
    name: 'documents each limit and has sane rates',
    applies: always,
    async run(kit) {
      const { spec } = kit.harness.connector;
      for (const { level, max, source } of spec.limits) {
        if (source.trim() === '' || max < 1) kit.problem(`limit on ${level}`, 'has no source or no size');
      }
      if (Object.values(spec.rate).some((rate) => !(rate > 0))) kit.problem('rate', 'is not above 0');
      if (spec.name !== spec.name.toLowerCase() || spec.serviceTypes.length === 0) kit.problem('name', 'is not usable');
    },
  },
];
