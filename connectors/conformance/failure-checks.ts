import { ConnectorError } from '../connector-error.ts';
import { always, type Check, claims } from './check.ts';
import type { Kit } from './kit.ts';
import { describeAs, nameOf } from './operations.ts';

/** Credentials, network, privileges, closing. */
export const FAILURE_CHECKS: readonly Check[] = [
  {
    name: 'reports wrong credentials as auth, for the whole target',
    applies: always,
    run: (kit) => refusesToConnect(kit, 'wrong credentials', kit.harness.wrongCredentials, 'auth'),
  },
  {
    name: 'reports an unreachable server as transient, for the whole target',
    applies: always,
    run: (kit) => refusesToConnect(kit, 'unreachable', kit.harness.unreachable, 'transient'),
  },
  {
    name: 'refuses masked secrets and tolerates unknown keys',
    applies: always,
    async run(kit) {
      const { connector, connection, secrets } = kit.harness;
      const masked = JSON.parse(
        secrets.reduce((text, one) => text.replaceAll(inJson(one), '********'), JSON.stringify(connection)),
      );
      const refused = connector.spec.config.safeParse(masked);
      if (refused.success) kit.problem('masked', 'a connection with a masked password is accepted');
      else if (!/mask/i.test(refused.error.message))
        kit.problem('masked', 'the message does not say that it is masked');
      const broken = connector.spec.config.safeParse({ ...Object(connection), hostPort: 17 });
      if (broken.success) kit.problem('hostPort', 'a number is accepted as an address');
      else kit.keepsSecrets('hostPort', broken.error);
      const newer = connector.spec.config.safeParse({ ...Object(connection), aKeyOfTheFuture: { x: [1] } });
      if (!newer.success) kit.problem('unknown keys', 'a key that a newer OpenMetadata sends is refused');
    },
  },
  {
    name: 'loses connections as transient for the whole target, loses no write that it reported, and recovers',
    applies: claims('description'),
    run: survivesBrokenConnections,
  },
  {
    name: 'reports a missing privilege as permission, for that object only',
    applies: always,
    async run(kit) {
      const { forbidden } = kit.harness;
      if (forbidden === undefined) return;
      const write = await kit.prepare(describeAs(forbidden.ref, 'not allowed'));
      if (write === undefined) return;
      const before = await kit.harness.dump();
      const result = (await kit.apply([write])).get(write.id);
      kit.onlyChanged(before, await kit.harness.dump(), []);
      if (result?.ok !== false) return kit.problem(nameOf(forbidden.ref), 'is reported as written');
      kit.same('forbidden', 'the class', result.failure.class, 'permission');
      kit.same('forbidden', 'the scope', result.failure.scope, 'object');
    },
  },
  {
    name: 'checks the connection and names server and user',
    applies: always,
    async run(kit) {
      const objects = kit.harness.objects.map(({ ref }) => ref);
      const report = await (await kit.connection()).check(objects);
      if (report.server.trim() === '' || report.user.trim() === '') kit.problem('check', 'server or user is not named');
      for (const { severity, message } of report.findings) if (severity === 'error') kit.problem('check', message);
      if (!report.ok) kit.problem('check', 'objects that can be written are reported as not writable');
      kit.keepsSecrets('check', report);
    },
  },
  {
    name: 'closes once and for all, however often it is told',
    applies: always,
    async run(kit) {
      const connection = await kit.open(kit.harness.connection);
      await Promise.all([connection.close(), connection.close()]);
      await connection.close();
      const [object] = kit.harness.objects;
      if (object !== undefined) await kit.failureOf('read after close', () => connection.read([object.ref]));
    },
  },
];

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

async function refusesToConnect(kit: Kit, where: string, json: unknown, expected: string): Promise<void> {
  const error = await kit.failureOf(where, async () => {
    const connection = await kit.open(json);
    try {
      await connection.read(kit.harness.objects.slice(0, 1).map(({ ref }) => ref));
    } finally {
      await connection.close();
    }
  });
  if (error === undefined) return;
  kit.same(where, 'the class', error.class, expected);
  kit.same(where, 'the scope', error.scope, 'target');
}

async function survivesBrokenConnections(kit: Kit): Promise<void> {
  const object = kit.objectsFor('description').find(({ ref }) => ref.level === 'table');
  if (object === undefined) return;
  const { ref } = object;
  const operation = describeAs(ref, 'before the fault');
  await kit.write(operation);

  // Idle connections: their next use either fails as it should, or has got a new one.
  for (let round = 0; round < 3; round += 1) {
    await kit.harness.breakConnections();
    await attempt(kit, 'an idle connection', () => kit.readOne(ref));
  }

  // A write that waits inside the system: here it cannot help but fail.
  const release = await kit.harness.hold?.(ref);
  if (release !== undefined) {
    const write = await kit.prepare(describeAs(ref, 'lost'));
    if (write !== undefined) {
      const connection = await kit.connection();
      let settled = false;
      const applied = attempt(kit, 'a write under way', () => connection.apply([write])).finally(() => {
        settled = true;
      });
      while (!settled) {
        await kit.harness.breakConnections();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      if (await applied) kit.problem('a write under way', 'its connection is gone, and it does not fail');
    }
    await release();
    kit.same(nameOf(ref), 'the value after a lost write', (await recovered(kit, ref)) ?? '', 'before the fault');
  }
  await recovered(kit, ref);
  await kit.write(describeAs(ref, 'after the fault'));
}

/** Whether it worked. When not, it has to be a transient failure of the target. */
async function attempt(kit: Kit, where: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    kit.keepsSecrets(where, error);
    if (!(error instanceof ConnectorError)) {
      kit.problem(where, 'fails with something else than a ConnectorError');
      return false;
    }
    kit.same(where, 'the class', error.class, 'transient');
    kit.same(where, 'the scope', error.scope, 'target');
    return false;
  }
}

/** The description, once the connection works again; a few attempts are allowed, each must fail in the right way. */
async function recovered(kit: Kit, ref: Parameters<Kit['readOne']>[0]): Promise<string | undefined> {
  let description: string | undefined;
  for (let round = 0; round < 5; round += 1) {
    const worked = await attempt(kit, 'recovery', async () => {
      description = (await kit.readOne(ref)).description;
    });
    if (worked) return description;
  }
  kit.problem('recovery', 'the connection does not come back');
  return undefined;
}
