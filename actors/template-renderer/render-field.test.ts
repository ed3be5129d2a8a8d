import { describe, expect, it } from 'vitest';
import { postgresDialect } from '../../connectors/dialect/postgres-dialect.ts';
import type { TemplateSlot } from '../../src/channels/channel.ts';
import type { Operation } from '../../src/domain/operation.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { sampleChannel, sampleConfig, sampleEntry, sampleHeld, TARGET } from '../../test/support/lane-samples.ts';
import { takeWork } from '../asset-coalescer/take-work.ts';
import { renderTemplates } from './render-field.ts';
import { renderWork } from './template-renderer.ts';

function slot(text: string, fit: Omit<TemplateSlot, 'template'> = {}): TemplateSlot {
  const compiled = compileTemplate(text, postgresDialect);
  if (!compiled.ok) throw new Error(compiled.error.map(({ message }) => message).join());
  return { ...fit, template: compiled.value };
}
const object = {
  level: 'table',
  entityType: 'table',
  fqn: 'pg.shop.public.t',
  service: 'pg',
  database: 'shop',
  schema: 'public',
  table: 't',
} as const;
const set: Operation = { aspect: 'description', object, text: 'it' };
const clear: Operation = { aspect: 'description', object, text: undefined };
const COMMENT = 'COMMENT ON TABLE {schema}.{table} IS {description}';

describe('renderTemplates', () => {
  it('leaves a channel without templates to the connector', () => {
    expect(renderTemplates(sampleChannel('c'), set)).toEqual({ ok: true, value: undefined });
  });

  it('takes the most specific template that fits', () => {
    const templates = [
      slot(COMMENT),
      slot("CALL said({table}, 'set')", { aspect: 'description', level: 'table', action: 'set' }),
      slot("CALL said({table}, 'any')", { aspect: 'description', level: 'table' }),
    ];
    const channel = sampleChannel('c', { templates });
    expect(renderTemplates(channel, set)).toMatchObject({ ok: true, value: { statements: [`CALL said("t", 'set')`] } });
    expect(renderTemplates(channel, clear)).toMatchObject({
      ok: true,
      value: { statements: [`CALL said("t", 'any')`] },
    });
  });

  const tags: Operation = {
    aspect: 'tags',
    object,
    desired: [{ key: 'PII', value: 'None' }],
    added: [{ key: 'PII', value: 'None' }],
    unset: [{ key: 'Team', value: 'Sales' }],
  };
  const PER_TAG = "CALL tag({table}, '{tag_key}', '{tag_value}')";

  it('sets no tag that was removed, and says that nothing removes it', () => {
    expect(renderTemplates(sampleChannel('c', { templates: [slot(PER_TAG)] }), tags)).toEqual({
      ok: true,
      value: { statements: [`CALL tag("t", 'PII', 'None')`], notes: ['no template serves to remove tags'] },
    });
  });

  it('runs the template for removals for what was removed', () => {
    const templates = [slot(PER_TAG), slot("CALL untag({table}, '{tag_key}')", { action: 'remove' })];
    expect(renderTemplates(sampleChannel('c', { templates }), tags)).toEqual({
      ok: true,
      value: { statements: [`CALL untag("t", 'Team')`, `CALL tag("t", 'PII', 'None')`], notes: [] },
    });
  });

  it('says what no template serves', () => {
    const channel = sampleChannel('c', { templates: [slot(COMMENT, { action: 'set' })] });
    expect(renderTemplates(channel, clear)).toMatchObject({
      error: { outcome: 'skipped', reason: 'no template for clear description of a table' },
    });
    const owner: Operation = { aspect: 'owners', object, principal: 'r' };
    expect(renderTemplates(channel, owner)).toMatchObject({
      error: { outcome: 'skipped', reason: 'no template for set owners of a table' },
    });
  });

  it('names channel, line and column of a value that cannot be written', () => {
    const channel = sampleChannel('c', { templates: [slot(`\n${COMMENT}`)] });
    const refused = renderTemplates(channel, { ...set, text: 'a\0b' });
    expect(refused).toMatchObject({ error: { outcome: 'failed', error: { line: 2 } } });
    expect(!refused.ok && refused.error.reason).toMatch(/^template of channel c, line 2, column \d+: /);
  });
});

describe('renderWork', () => {
  const channel = sampleChannel('docs', { templates: [slot(COMMENT)] });
  const config = sampleConfig([channel]);
  const render = (description: string) =>
    renderWork(takeWork(sampleEntry([sampleHeld(1, { entity: { description } }, config)], config), TARGET, config));

  it('puts the statements beside the operation', () => {
    const { work, refused, stages } = render("it's");
    expect(work.fields[0]?.write?.template).toEqual([`COMMENT ON TABLE "public"."orders" IS 'it''s'`]);
    expect(refused).toEqual([]);
    expect([...stages.keys()]).toEqual([1]);
  });

  it('a value that cannot be written is the field’s result', () => {
    expect(render('a\0b').refused).toMatchObject([
      { key: 'description', status: 'failed', failure: { class: 'invalid', scope: 'object', code: 'template' } },
    ]);
  });
});
