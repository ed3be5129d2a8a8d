import type { Aspect } from '../domain/entity.ts';
import type { OutcomeStatus } from '../domain/outcome.ts';
import { type SampleCatalogue, type SampleEvent, tag } from './sample-catalogue.ts';
import type { Probe, SampleMariadb, SamplePostgres } from './sample-databases.ts';

/** One change of the demo: the event, what is expected of it, and how the source is asked afterwards. */
export interface DemoChange {
  readonly event: SampleEvent;
  readonly service: string;
  readonly asset: string;
  readonly aspect: Aspect;
  /** For people: what this change shows. */
  readonly shows: string;
  readonly expected: { readonly status: OutcomeStatus; readonly value: string | undefined };
  readonly probe: Probe;
}

/** Quotes of both kinds, a newline, a backslash, a dollar quote, a comment mark and an emoji. */
export const NASTY_TEXT = `It's "quoted"\nwith a \\ backslash, $$ and -- marks, and 🦆`;
/** The same without the emoji: MariaDB 10.11 stores no character beyond U+FFFF in a comment. */
export const NASTY_PLAIN_TEXT = NASTY_TEXT.replace('🦆', '한');
const ODD_COLUMN = `note's "odd" name`;

/** The edits on PostgreSQL, in the order in which they are sent. */
export function postgresChanges(catalogue: SampleCatalogue, source: SamplePostgres): readonly DemoChange[] {
  const service = 'pg_sales';
  const entity = (path: readonly string[], extra: Partial<Parameters<SampleCatalogue['entity']>[0]> = {}) => {
    const entityType = path.length === 1 ? 'database' : path.length === 2 ? 'databaseSchema' : 'table';
    return catalogue.entity({ entityType, path: [service, ...path], serviceType: 'Postgres', ...extra });
  };
  const columns = (...names: string[]) => names.map((name) => ({ name, dataType: 'TEXT', tags: [] }));
  const database = entity(['shop']);
  const schema = entity(['shop', 'public']);
  const orders = entity(['shop', 'public', 'orders'], {
    tableType: 'Regular',
    columns: columns('order_id', 'customer_id', 'amount', ODD_COLUMN),
  });
  const view = entity(['shop', 'public', 'open_orders'], {
    tableType: 'View',
    columns: columns('order_id', 'customer_id'),
  });
  const customers = entity(['shop', 'public', 'customers'], {
    tableType: 'Regular',
    columns: columns('customer_id', 'full_name', 'email'),
    tags: [tag('PII.Sensitive')],
    description: 'an old text that somebody clears in the catalogue',
  });
  const report = entity(['shop', 'reports', 'daily_sales'], { tableType: 'Regular', columns: columns('day', 'total') });

  const change = (
    event: SampleEvent,
    aspect: Aspect,
    shows: string,
    status: OutcomeStatus,
    value: string | undefined,
    probe: Probe,
    asset = event.fqn,
  ): DemoChange => ({ event, service, asset, aspect, shows, expected: { status, value }, probe });
  const description = (event: SampleEvent, shows: string, value: string | undefined, probe: Probe, asset?: string) =>
    change(event, 'description', shows, 'applied', value, probe, asset);

  const ordersTable = source.table('public', 'orders');
  const first = description(
    catalogue.setDescription(orders, 'One row for every order.', 'ana'),
    'a table',
    'One row for every order.',
    ordersTable,
  );
  const odd = catalogue.setColumnDescription(orders, ODD_COLUMN, NASTY_TEXT, 'ben');
  const older = catalogue.setDescription(view, 'An earlier text that arrives late.', 'ana');
  const newer = catalogue.setDescription(view, 'Orders that nobody has priced yet.', 'ana');
  const viewComment = source.table('public', 'open_orders');
  return [
    description(
      catalogue.setDescription(database, 'The shop: what is sold, and to whom.', 'ana'),
      'a database',
      'The shop: what is sold, and to whom.',
      source.database(),
    ),
    description(
      catalogue.setDescription(schema, 'Tables of the order system.', 'ana'),
      'a schema',
      'Tables of the order system.',
      source.schema('public'),
    ),
    first,
    description(
      odd,
      'a column with an odd name and a nasty text',
      NASTY_TEXT,
      source.column('public', 'orders', ODD_COLUMN),
      `${odd.fqn} column ${ODD_COLUMN}`,
    ),
    description(newer, 'a view', 'Orders that nobody has priced yet.', viewComment),
    change(
      older,
      'description',
      'an older change that arrives late',
      'superseded',
      'Orders that nobody has priced yet.',
      viewComment,
    ),
    change(first.event, 'description', 'the same event again', 'superseded', 'One row for every order.', ordersTable),
    description(
      catalogue.setDescription(customers, undefined, 'ana'),
      'a cleared description',
      undefined,
      source.table('public', 'customers'),
    ),
    description(
      catalogue.setColumnDescription(customers, 'email', 'Where invoices go. Personal data.', 'cleo'),
      'the channel for assets tagged PII.Sensitive',
      'Where invoices go. Personal data.',
      source.column('public', 'customers', 'email'),
      'pg_sales.shop.public.customers column email',
    ),
    change(
      catalogue.setOwner(orders, 'ana', 'ben'),
      'owners',
      'an owner, mapped to a role',
      'applied',
      'sales_steward',
      source.owner('public', 'orders'),
    ),
    description(
      catalogue.setDescription(report, "The day's sales", 'ana'),
      'a template of the channel’s own',
      "The day's sales (documented in the catalogue)",
      source.table('reports', 'daily_sales'),
    ),
    change(
      catalogue.addTag(customers, 'Team.Sales', 'cleo'),
      'tags',
      'a tag, which PostgreSQL cannot hold',
      'skipped',
      undefined,
      source.table('public', 'customers'),
    ),
    change(
      catalogue.setColumnDescription(orders, 'amount', 'Written by the ingestion.', 'ingestion-bot'),
      'description',
      'a change by ingestion-bot',
      'skipped',
      undefined,
      source.column('public', 'orders', 'amount'),
      'pg_sales.shop.public.orders column amount',
    ),
  ];
}

/** The edits on MariaDB. */
export function mariadbChanges(catalogue: SampleCatalogue, source: SampleMariadb): readonly DemoChange[] {
  const service = 'mariadb_crm';
  const serviceType = 'Mysql';
  const contacts = catalogue.entity({
    entityType: 'table',
    path: [service, 'default', 'crm', 'contacts'],
    serviceType,
    tableType: 'Regular',
    columns: ['id', 'email', 'created'].map((name) => ({ name, dataType: 'VARCHAR', tags: [] })),
  });
  const schema = catalogue.entity({ entityType: 'databaseSchema', path: [service, 'default', 'crm'], serviceType });
  const description = (
    event: SampleEvent,
    shows: string,
    value: string,
    probe: Probe,
    asset = event.fqn,
  ): DemoChange => ({
    event,
    service,
    asset,
    aspect: 'description',
    shows,
    expected: { status: 'applied', value },
    probe,
  });
  const { fqn } = { fqn: `${service}.default.crm.contacts` };
  return [
    description(
      catalogue.setDescription(contacts, 'People who wrote to us.', 'ana'),
      'a table',
      'People who wrote to us.',
      source.table('contacts'),
    ),
    description(
      catalogue.setColumnDescription(contacts, 'email', NASTY_PLAIN_TEXT, 'ana'),
      'a column, its definition kept',
      NASTY_PLAIN_TEXT,
      source.column('contacts', 'email'),
      `${fqn} column email`,
    ),
    description(
      catalogue.setColumnDescription(contacts, 'created', 'When they wrote first.', 'ben'),
      'a column with DEFAULT and ON UPDATE',
      'When they wrote first.',
      source.column('contacts', 'created'),
      `${fqn} column created`,
    ),
    description(
      catalogue.setDescription(schema, 'Customer contacts.', 'ana'),
      'a schema',
      'Customer contacts.',
      source.schema(),
    ),
  ];
}
