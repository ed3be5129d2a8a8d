import { describe, expect, it } from 'vitest';
import type { DescriptionOperation, ObjectRef, Tag, TagsOperation } from '../../src/domain/operation.ts';
import type { SourceObject } from '../contract.ts';
import type { OracleDetail } from './detail.ts';
import { planOracle } from './plan.ts';

const TABLE: ObjectRef = {
  level: 'table',
  entityType: 'table',
  fqn: 'ora.default.app.orders',
  service: 'ora',
  database: 'default',
  schema: 'app',
  table: 'orders',
};
const COLUMN: ObjectRef = { ...TABLE, level: 'column', column: ['note'] };

function found(
  kind: string,
  names: readonly string[],
  more: Partial<OracleDetail> & { tags?: readonly Tag[] } = {},
): SourceObject {
  const { tags, ...detail } = more;
  return {
    exists: true,
    kind,
    detail: { charset: 'AL32UTF8', annotations: true, names, ...detail },
    ...(tags === undefined ? {} : { tags }),
  };
}

const describing = (object: ObjectRef, text: string | undefined): DescriptionOperation => ({
  aspect: 'description',
  object,
  text,
});
const tagging = (object: ObjectRef, desired: readonly Tag[], unset: readonly Tag[] = []): TagsOperation => ({
  aspect: 'tags',
  object,
  desired,
  added: desired,
  unset,
});

function statements(...args: Parameters<typeof planOracle>): readonly string[] | string {
  const planned = planOracle(...args);
  return planned.ok ? planned.value.statements : `${planned.error.outcome} ${planned.error.failure.code}`;
}

describe('descriptions on Oracle', () => {
  it.each([
    ['table', TABLE, ['APP', 'ORDERS'], `COMMENT ON TABLE "APP"."ORDERS" IS 'it''s \\'`],
    ['view', TABLE, ['APP', 'V'], `COMMENT ON TABLE "APP"."V" IS 'it''s \\'`],
    ['external table', TABLE, ['APP', 'X'], `COMMENT ON TABLE "APP"."X" IS 'it''s \\'`],
    ['materialized view', TABLE, ['APP', 'M'], `COMMENT ON MATERIALIZED VIEW "APP"."M" IS 'it''s \\'`],
    ['materialized view', COLUMN, ['APP', 'M', 'note'], `COMMENT ON COLUMN "APP"."M"."note" IS 'it''s \\'`],
  ])("comment on a %s by the dictionary's names", (kind, object, names, expected) => {
    expect(statements(describing(object, "it's \\"), found(kind, names), {})).toEqual([expected]);
  });

  it('clears with the empty text, which Oracle takes for none', () => {
    const planned = planOracle(describing(TABLE, undefined), found('table', ['APP', 'ORDERS']), {});
    expect(planned).toEqual({ ok: true, value: { statements: [`COMMENT ON TABLE "APP"."ORDERS" IS ''`], notes: [] } });
  });

  it('takes lower-case names for upper-case ones where nobody can look, and says so', () => {
    const planned = planOracle(describing({ ...COLUMN, tableType: 'MaterializedView' }, 'x'), undefined, {});
    expect(planned).toMatchObject({
      ok: true,
      value: { statements: [`COMMENT ON COLUMN "APP"."ORDERS"."NOTE" IS 'x'`] },
    });
    expect(planned.ok && planned.value.notes.join()).toMatch(/taken from the catalogue/);
    const view = { ...TABLE, table: 'Order totals', tableType: 'MaterializedView' };
    expect(statements(describing(view, 'x'), undefined, {})).toEqual([
      `COMMENT ON MATERIALIZED VIEW "APP"."Order totals" IS 'x'`,
    ]);
  });

  it('puts question marks where the character set has nothing, and counts bytes of that set', () => {
    const latin = (text: string) =>
      planOracle(describing(TABLE, text), found('table', ['A', 'B'], { charset: 'WE8MSWIN1252' }), {});
    expect(latin('größe € 😀 шум')).toMatchObject({ ok: true, value: { value: 'größe € ? ???' } });
    const full = latin('é'.repeat(4000));
    expect(full).toMatchObject({ ok: true, value: { value: 'é'.repeat(4000), notes: [] } });
    const cut = latin('é'.repeat(4001));
    expect(cut.ok && cut.value.value).toMatch(/^é{3988,}.*\[cut\]$/);
    const unknown = planOracle(describing(TABLE, 'é中'), found('table', ['A', 'B'], { charset: 'JA16SJIS' }), {});
    expect(unknown).toMatchObject({ ok: true, value: { value: '??' } });
  });

  it('leaves room for surrogate pairs of the old UTF8', () => {
    const planned = planOracle(
      describing(TABLE, '😀'.repeat(900)),
      found('table', ['A', 'B'], { charset: 'UTF8' }),
      {},
    );
    const kept = planned.ok ? (planned.value.value ?? '') : '';
    expect([...kept].filter((one) => one === '😀').length * 6).toBeLessThanOrEqual(4000);
  });

  it('skips what has no comment, with a reason', () => {
    const source = found('table', ['APP', 'ORDERS']);
    expect(statements(describing({ ...TABLE, level: 'database' }, 'x'), source, {})).toBe('skipped no-target');
    expect(statements(describing({ ...TABLE, level: 'schema' }, 'x'), source, {})).toBe('skipped no-target');
    expect(statements(describing({ ...COLUMN, column: ['a', 'b'] }, 'x'), source, {})).toBe('skipped nested-column');
    expect(statements({ aspect: 'owners', object: TABLE, principal: 'x' }, source, {})).toBe('skipped no-owners');
    const two: SourceObject = { ...found('table', [], { ambiguous: ['APP.orders', 'APP.ORDERS'] }), exists: false };
    expect(statements(describing(TABLE, 'x'), two, {})).toBe('skipped ambiguous-name');
  });
});

describe('annotations on Oracle', () => {
  const PII = { key: 'PII', value: 'Sensitive' };
  const OLD = { key: 'Old', value: 'x' };

  it.each([
    ['table', TABLE, ['APP', 'ORDERS'], 'ALTER TABLE "APP"."ORDERS" ANNOTATIONS (%)'],
    ['view', TABLE, ['APP', 'V'], 'ALTER VIEW "APP"."V" ANNOTATIONS (%)'],
    ['materialized view', TABLE, ['APP', 'M'], 'ALTER MATERIALIZED VIEW "APP"."M" ANNOTATIONS (%)'],
    ['table', COLUMN, ['APP', 'ORDERS', 'NOTE'], 'ALTER TABLE "APP"."ORDERS" MODIFY ("NOTE" ANNOTATIONS (%))'],
  ])('set and drop in one statement on a %s', (kind, object, names, form) => {
    const source = found(kind, names, { tags: [OLD] });
    expect(statements(tagging(object, [PII], [OLD]), source, {})).toEqual([
      form.replace('%', `DROP IF EXISTS "Old", ADD OR REPLACE "PII" 'Sensitive'`),
    ]);
  });

  it('keep the values of others, one per line, and never drop a value that was not the one removed', () => {
    const other = { key: 'PII', value: 'theirs' };
    const source = (tags: readonly Tag[]) => found('table', ['A', 'B'], { tags });
    expect(statements(tagging(TABLE, [PII]), source([other]), {})).toEqual([
      `ALTER TABLE "A"."B" ANNOTATIONS (ADD OR REPLACE "PII" 'Sensitive\ntheirs')`,
    ]);
    expect(statements(tagging(TABLE, [], [PII]), source([other]), {})).toEqual([]);
    expect(statements(tagging(TABLE, [], [PII]), source([other, PII]), {})).toEqual([
      `ALTER TABLE "A"."B" ANNOTATIONS (ADD OR REPLACE "PII" 'theirs')`,
    ]);
    expect(statements(tagging(TABLE, [PII]), source([PII]), {})).toEqual([]);
  });

  it('are skipped where there are none, and refused where a tag does not fit', () => {
    const source = found('table', ['A', 'B'], { tags: [] });
    expect(statements(tagging(TABLE, [PII]), found('table', ['A', 'B'], { annotations: false }), {})).toBe(
      'skipped no-annotations',
    );
    expect(statements(tagging(COLUMN, [PII]), found('view', ['A', 'B', 'C']), {})).toBe('skipped kind-unsupported');
    expect(statements(tagging(TABLE, [PII]), found('external table', ['A', 'B']), {})).toBe('skipped kind-unsupported');
    for (const [tag, code] of [
      [{ key: 'a"b', value: 'x' }, 'tag-not-representable'],
      [{ key: 'é'.repeat(513), value: 'x' }, 'tag-too-long'],
      [{ key: 'a', value: 'x'.repeat(4001) }, 'tag-value-too-long'],
      [{ key: 'a', value: '' }, 'tag-value'],
      [{ key: 'a', value: 'x\ny' }, 'tag-value'],
      [{ key: 'a', value: 'x\0' }, 'tag-nul'],
    ] as const) {
      expect([code, statements(tagging(TABLE, [tag]), source, {})]).toEqual([code, `failed ${code}`]);
    }
    const latin = found('table', ['A', 'B'], { charset: 'WE8ISO8859P1', tags: [] });
    expect(statements(tagging(TABLE, [{ key: 'a', value: '中' }]), latin, {})).toBe('failed tag-character-set');
  });
});

describe('templates on Oracle', () => {
  const run = (statement: string) => statements(describing(TABLE, 'x'), undefined, { template: [statement] });

  it('run as they are', () => {
    expect(run("INSERT INTO audit_log VALUES ('a', 'b')")).toEqual(["INSERT INTO audit_log VALUES ('a', 'b')"]);
  });

  it.each([
    ['COMMIT', 'template-transaction-control'],
    ['/* x */ rollback', 'template-transaction-control'],
    ['BEGIN x; END', 'template-runs-code'],
    ["COMMENT ON TABLE a.b IS 'x", 'template-not-closed'],
    ["COMMENT ON TABLE a.b -- c\r x\n IS 'x'", 'template-lone-cr'],
  ])('are refused: %j', (statement, code) => {
    expect(run(statement)).toBe(`failed ${code}`);
  });
});
