import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oracleDialect } from '../../connectors/dialect/oracle-dialect.ts';
import { oracleConnector } from '../../connectors/oracle/connector.ts';
import { withTrace } from '../../connectors/oracle/trace-comment.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { renderOperation } from '../../src/template/render-operation.ts';
import { enoughOf } from '../support/class-coverage.ts';
import { hostileName, hostileText } from '../support/hostile-text.ts';
import { findH2, type OracleH2, startOracleH2 } from '../support/oracle-h2.ts';
import { ref } from '../support/oracle-harness.ts';
import { ORACLE_TEXT_PLACES } from '../support/oracle-places.ts';

const SEED = 20_261_130;
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const found = findH2();

if ('missing' in found) {
  process.stderr.write(`\n!! H2 in Oracle mode is skipped: ${found.missing}\n\n`);
  describe.skip(`Oracle's comments on H2 (${found.missing})`, () => {
    it('needs the program', () => {});
  });
} else {
  describe("Oracle's comments on H2 in Oracle mode", () => {
    const texts = enoughOf(hostileText(), { count: 300, perClass: 105, seed: SEED + 5 });
    const names = enoughOf(
      hostileName({ max: 100, unit: 'bytes' }).map((name) => name.replaceAll('"', "'")),
      { count: 120, perClass: 30, seed: SEED + 6 },
    );
    let h2: OracleH2;

    beforeAll(async () => {
      h2 = await startOracleH2(found.jar);
      await h2.run([
        'CREATE SCHEMA "ZOO"',
        'CREATE TABLE "ZOO"."CANARY" ("ID" INT)',
        `COMMENT ON TABLE "ZOO"."CANARY" IS 'sings'`,
        ...names.map((name) => `CREATE TABLE "ZOO"."${name}" ("${name}" INT, "A" INT)`),
      ]);
    });
    afterAll(() => h2?.stop());

    /** Runs all of them, and compares every comment that the engine then has. */
    async function holds(writes: readonly { object: ObjectRef; sql: string; expected: string }[]): Promise<void> {
      const expected = new Map(await h2.comments());
      await h2.run(writes.map(({ sql }) => withTrace(sql, TRACEPARENT)));
      for (const { object, expected: text } of writes) {
        const key = JSON.stringify([object.schema, object.table, object.column?.[0] ?? null]);
        if (text === '') expected.delete(key);
        else expected.set(key, text);
      }
      expect([...(await h2.comments())].sort()).toEqual([...expected].sort());
    }

    it('are read as the plan says, on tables and columns of any name', async () => {
      const writes = names.flatMap((name, row) =>
        [ref('table', 'ZOO', name), ref('column', 'ZOO', name, name), ref('column', 'ZOO', name, 'A')].map(
          (object, i) => {
            const text = (row + i) % 9 === 8 ? undefined : texts[(row * 7 + i * 31) % texts.length];
            const exact = ['ZOO', name, ...(object.column ?? [])];
            const source = {
              exists: true,
              kind: 'table',
              detail: { charset: 'AL32UTF8', annotations: true, names: exact },
            };
            const planned = oracleConnector.plan({ aspect: 'description', object, text }, source, {});
            if (!planned.ok) throw new Error(planned.error.failure.message);
            return { object, sql: planned.value.statements.join(), expected: text ?? '' };
          },
        ),
      );
      await holds(writes);
    });

    it.each(ORACLE_TEXT_PLACES)('are read as a template says: $name', async (place) => {
      const compiled = compileTemplate(`COMMENT ON TABLE {schema}."{table}" IS ${place.fragment}`, oracleDialect);
      if (!compiled.ok) throw new Error(compiled.error[0]?.message);
      const writes = texts.map((text, row) => {
        const object = ref('table', 'ZOO', names[row % names.length] ?? '');
        const rendered = renderOperation(compiled.value, { aspect: 'description', object, text });
        if (!rendered.ok) throw new Error(rendered.error.message);
        return { object, sql: rendered.value.join(), expected: place.expected(text) };
      });
      await holds(writes);
    });
  });
}
