import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../connectors/contract.ts';
import { redshiftDialect } from '../../connectors/dialect/redshift-dialect.ts';
import { redshiftConnector } from '../../connectors/redshift/connector.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { renderOperation } from '../../src/template/render-operation.ts';
import { ClassCoverage, enoughOf } from '../support/class-coverage.ts';
import { hostileName, hostileText } from '../support/hostile-text.ts';
import { PostgresZoo, type Wish } from '../support/postgres-zoo.ts';
import { REDSHIFT_NAME_PLACES, REDSHIFT_TEXT_PLACES } from '../support/redshift-oracle.ts';
import { type RedshiftPeer, startRedshiftPeer } from '../support/redshift-peer.ts';

const SEED = 20_261_130;
/** The peer cuts names at 63 bytes, and a decorated one needs seven of them. */
const NAME_BYTES = 56;

const names = enoughOf(hostileName({ max: NAME_BYTES, unit: 'bytes' }), { count: 60, perClass: 12, seed: SEED });
const texts = enoughOf(hostileText(), { count: 200, perClass: 100, seed: SEED + 1 });

describe.each(['escape', 'literal'] as const)('Redshift whose backslash in plain literals is: %s', (backslash) => {
  let peer: RedshiftPeer;
  let zoo: PostgresZoo;
  let connection: Connection;
  const coverage = new ClassCoverage();

  beforeAll(async () => {
    peer = await startRedshiftPeer({ backslash });
    const admin: pg.Client = await peer.createDatabase('zoo');
    const json = peer.connection(peer.server.user, peer.server.password, 'zoo');
    connection = await redshiftConnector.open(redshiftConnector.spec.config.parse(json), { lane: 'zoo', epoch: 1 });
    zoo = new PostgresZoo('zoo', admin, new Map([['zoo', admin]]), connection, redshiftConnector.plan);
    const decorated = REDSHIFT_NAME_PLACES.filter(({ taken }) => taken !== undefined);
    await zoo.build([...names, ...decorated.flatMap(({ expected }) => names.map(expected))]);
  });

  afterAll(async () => {
    await connection.close();
    await peer.stop();
  });

  async function inBatches(wishes: readonly Wish[]): Promise<readonly string[]> {
    const problems: string[] = [];
    for (let start = 0; start < wishes.length; start += names.length) {
      problems.push(...(await zoo.fulfil(wishes.slice(start, start + names.length))));
    }
    return problems;
  }

  function rendered(source: string, object: Wish['object'], text: string): readonly string[] {
    const template = compileTemplate(source, redshiftDialect);
    const statements = template.ok
      ? renderOperation(template.value, { aspect: 'description', object, text })
      : template;
    if (!statements.ok) throw new Error(`${source} cannot be written: ${JSON.stringify(statements.error)}`);
    return statements.value;
  }

  it('writes any text to any name through default plans, and nothing else', async () => {
    const wishes = texts.flatMap((text, index): Wish[] => {
      const name = names[index % names.length] ?? '';
      coverage.add('default plan: text', text);
      coverage.add('default plan: name', name);
      const isClear = index % 9 === 0;
      const wanted = isClear ? undefined : text;
      return [{ object: index % 2 === 0 ? zoo.table(name) : zoo.column(name), text: wanted, expected: wanted }];
    });
    expect(await inBatches(wishes)).toEqual([]);
  }, 60_000);

  it('writes any text through templates, whatever the place', async () => {
    const wishes = REDSHIFT_TEXT_PLACES.flatMap((place, shift) =>
      names.map((name, index): Wish => {
        const text = texts[(index * 3 + shift) % texts.length] ?? '';
        const object = zoo.table(name);
        coverage.add(`template, text: ${place.name}`, text);
        const template = rendered(`COMMENT ON TABLE {schema}.{table} IS ${place.fragment}`, object, text);
        return { object, text, expected: place.expected(text), template };
      }),
    );
    expect(await inBatches(wishes)).toEqual([]);
  }, 60_000);

  it('finds any name through templates, whatever the place', async () => {
    const wishes = REDSHIFT_NAME_PLACES.flatMap((place) =>
      names.map((name, index): Wish => {
        const text = `mark ${index} of ${place.name}`;
        coverage.add(`template, name: ${place.name}`, name);
        const template = rendered(`COMMENT ON TABLE zoo.${place.fragment} IS '{description}'`, zoo.table(name), text);
        return { object: zoo.table(place.expected(name)), text, expected: text, template };
      }),
    );
    expect(await inBatches(wishes)).toEqual([]);
    console.log(`backslash ${backslash}: ${coverage.total} values\n${coverage.table()}`);
    expect(coverage.least()).toBeGreaterThanOrEqual(12);
  }, 60_000);
});
