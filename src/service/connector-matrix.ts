import type { Ability, Connector } from '../../connectors/contract.ts';
import { ASPECTS, type Aspect, LEVELS } from '../domain/entity.ts';

/** What a connector can write, as one row of a Markdown table; the README's table is made of these rows. */
export function connectorMatrix(connectors: readonly Connector[]): string {
  const head = ['system', ...ASPECTS.map((aspect) => aspect), 'proven on'];
  const rows = connectors.map(({ spec }) => {
    const proven = [...new Set(spec.abilities.map((ability) => ability.provenOn))].map((on) =>
      on === 'real' ? 'the real engine' : 'a stateful fake',
    );
    return [
      `\`${spec.name}\` (${spec.serviceTypes.join(', ')})`,
      ...ASPECTS.map((aspect) => cell(spec.abilities, aspect)),
      [...proven, ...(spec.optIn === undefined ? [] : ['opt-in'])].join(', '),
    ];
  });
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Levels from the database down, each with its kinds where they tell more than the level; `*`: it cannot be cleared. */
function cell(abilities: readonly Ability[], aspect: Aspect): string {
  const parts = LEVELS.flatMap((level) => {
    const own = abilities.filter((ability) => ability.aspect === aspect && ability.level === level && ability.set);
    if (own.length === 0) return [];
    const kinds = [...new Set(own.flatMap((ability) => ability.kinds))].filter((kind) => kind !== level);
    const star = own.some((ability) => ability.clear) ? '' : '*';
    const detail =
      level === 'table' && kinds.length > 0
        ? ` (${[...new Set(own.flatMap((ability) => ability.kinds))].join(', ')})`
        : '';
    return [`${level}${star}${detail}`];
  });
  return parts.length === 0 ? '–' : parts.join(', ');
}
