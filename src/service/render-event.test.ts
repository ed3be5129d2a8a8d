import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connectorFor } from '../../connectors/registry.ts';
import { tableEvent } from '../../test/support/table-event.ts';
import { parseConfig } from '../config/load.ts';
import type { ChangeEvent } from '../domain/change-event.ts';
import { parseMessage } from '../domain/parse-change-event.ts';
import { compileTemplate } from '../template/compile.ts';
import { checkConfig } from './configuration.ts';
import { channelRules, renderEvent, templateRules } from './render-event.ts';

function eventOf(value: unknown): ChangeEvent {
  const part = parseMessage(typeof value === 'string' ? value : JSON.stringify(value)).find(
    (one) => one.kind === 'change',
  );
  if (part === undefined) throw new Error('no change event');
  return part.event;
}

function postgres() {
  const connector = connectorFor('postgres');
  if (connector === undefined) throw new Error('no connector');
  return connector;
}

function byTemplate(event: ChangeEvent, sql?: string) {
  const compiled = sql === undefined ? undefined : compileTemplate(sql, postgres().spec.dialect);
  if (compiled?.ok === false) throw new Error('the template is wrong');
  return renderEvent(event, templateRules(postgres(), compiled?.value, event));
}

function byChannel(event: ChangeEvent, channel: string) {
  const text = `
targets: [ { service: pg_sales, connection: { type: Postgres, hostPort: "db:5432", username: u, database: shop } } ]
channels: [ ${channel} ]
owners: { map: { ana: steward } }
`;
  const loaded = parseConfig([{ file: 'test.yaml', text }]);
  const config = loaded.ok ? checkConfig(loaded.value) : loaded;
  if (!config.ok) throw new Error(JSON.stringify(config.error));
  const [first] = config.value.channelsOf('pg_sales');
  if (first === undefined) throw new Error('no channel');
  return renderEvent(event, channelRules(postgres(), 'pg_sales', first, config.value));
}

const changed = (fields: object): Readonly<Record<string, unknown>> => ({
  changeDescription: { previousVersion: 0.1, fieldsAdded: [], fieldsUpdated: [], fieldsDeleted: [], ...fields },
});

describe('renderEvent', () => {
  it('writes only what the change touched', () => {
    expect(byTemplate(eventOf(tableEvent())).statements).toEqual([
      `COMMENT ON TABLE "public"."orders" IS 'Orders of the shop'`,
    ]);
  });

  it('clears what the change cleared', () => {
    const cleared = tableEvent({
      entity: { description: undefined },
      envelope: changed({ fieldsDeleted: [{ name: 'description', oldValue: 'Orders' }] }),
    });
    expect(byTemplate(eventOf(cleared)).statements).toEqual(['COMMENT ON TABLE "public"."orders" IS NULL']);
  });

  it('decides an undo without waiting for the change that it takes back', () => {
    const undo = tableEvent({
      description: 'as before',
      entity: { version: 0.1 },
      envelope: {
        currentVersion: 0.1,
        changeDescription: {
          previousVersion: 0.2,
          fieldsAdded: [],
          fieldsUpdated: [{ name: 'description', oldValue: 'a mistake', newValue: 'as before' }],
          fieldsDeleted: [],
        },
      },
    });
    expect(byTemplate(eventOf(undo)).statements).toEqual([`COMMENT ON TABLE "public"."orders" IS 'as before'`]);
  });

  it('leaves a deleted entity alone', () => {
    const deleted = tableEvent({ entity: { deleted: true }, envelope: { eventType: 'entitySoftDeleted' } });
    expect(byTemplate(eventOf(deleted))).toMatchObject({
      statements: [],
      skipped: [{ reason: expect.stringContaining('deleted') }],
    });
  });

  it('renders a template once per added tag', () => {
    const tag = (tagFQN: string) => ({ tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' });
    const tags = [tag('PII.Sensitive'), tag("Team.O'Hara")];
    const event = tableEvent({
      entity: { tags },
      envelope: changed({ fieldsAdded: [{ name: 'tags', newValue: tags }] }),
    });
    const sql = `CALL tag({table}, '{tag_key}', '{tag_value}')`;
    expect(byTemplate(eventOf(event), sql).statements).toEqual([
      `CALL tag("orders", 'PII', 'Sensitive')`,
      `CALL tag("orders", 'Team', 'O''Hara')`,
    ]);
  });

  it('passes over users that the configuration ignores, and maps owners as it says', () => {
    const owners = [{ id: 'o', type: 'user', name: 'ana' }];
    const owned = tableEvent({
      entity: { owners },
      envelope: changed({ fieldsAdded: [{ name: 'owners', newValue: owners }] }),
    });
    const channel = '{ name: all, update: { descriptions: true, owners: true } }';
    expect(byChannel(eventOf(owned), channel).statements).toEqual(['ALTER TABLE "public"."orders" OWNER TO "steward"']);
    const bot = byChannel(eventOf({ ...owned, userName: 'ingestion-bot' }), channel);
    expect(bot).toMatchObject({ statements: [], skipped: [{ reason: expect.stringContaining('ingestion-bot') }] });
  });

  it('writes all of a channel when the change brings the entity into it', () => {
    const tags = [{ tagFQN: 'PII.Sensitive', source: 'Classification', labelType: 'Manual', state: 'Confirmed' }];
    const event = tableEvent({
      entity: { tags },
      envelope: changed({ fieldsAdded: [{ name: 'tags', newValue: tags }] }),
    });
    const filter = '{ some: [ { var: tags }, { "==": [ { var: tagFQN }, PII.Sensitive ] } ] }';
    const rendered = byChannel(eventOf(event), `{ name: pii, filter: ${filter}, update: { descriptions: true } }`);
    expect(rendered.statements).toEqual([`COMMENT ON TABLE "public"."orders" IS 'Orders of the shop'`]);
  });

  it('gives statements or reasons for every event of two real servers', () => {
    let statements = 0;
    for (const server of ['real-1.12', 'real-1.6']) {
      const folder = new URL(`../../test/fixtures/${server}/`, import.meta.url);
      for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
        const parts = parseMessage(readFileSync(new URL(file, folder)));
        for (const part of parts) {
          if (part.kind !== 'change') continue;
          const rendered = byTemplate(part.event);
          expect(rendered.errors, file).toEqual([]);
          expect(rendered.statements.length + rendered.skipped.length, file).toBeGreaterThan(0);
          statements += rendered.statements.length;
        }
      }
    }
    expect(statements).toBeGreaterThan(50);
  });
});
