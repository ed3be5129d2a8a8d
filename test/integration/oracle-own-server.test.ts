import { describe, expect, it } from 'vitest';
import type { OracleDriver } from '../../connectors/oracle/port.ts';
import { OracleFault } from '../support/oracle-fault.ts';
import { ownConnection, startOwnOracle } from '../support/oracle-own-server.ts';

/** Notes what is sent, answers as an empty database, and refuses one statement. */
function recording(refused: RegExp): { readonly driver: OracleDriver; readonly sent: readonly string[] } {
  const sent: string[] = [];
  return {
    sent,
    driver: {
      async connect({ user }) {
        return {
          version: '23.4.0.24.5',
          usable: true,
          async execute(sql) {
            sent.push(`${user}: ${sql}`);
            if (refused.test(sql)) throw new OracleFault(1031, 'insufficient privileges');
            return { rows: /nls_database/.test(sql) ? [{ A: 'AL32UTF8' }] : [] };
          },
          async close() {
            sent.push(`${user}: closed`);
          },
        };
      },
    },
  };
}

const URL = 'oracle://system:pw%2F1@db.example.org:1522/FREEPDB1';

describe("a user's own Oracle", () => {
  it('is named by a URL or by connection JSON', () => {
    expect(ownConnection(URL)).toEqual({
      type: 'Oracle',
      username: 'system',
      password: 'pw/1',
      hostPort: 'db.example.org:1522',
      oracleConnectionType: { oracleServiceName: 'FREEPDB1' },
    });
    expect(ownConnection('{"username":"x"}')).toEqual({ username: 'x' });
  });

  it.each([/^never$/, /^CREATE MATERIALIZED/, /^GRANT READ/, /^CREATE USER \w+_W/])(
    'has nothing left of us afterwards, also where %s fails',
    async (refused) => {
      const { driver, sent } = recording(refused);
      await startOwnOracle(URL, driver).then(
        ({ stop }) => stop(),
        (error: unknown) => expect(error).toBeInstanceOf(OracleFault),
      );
      const made = sent.flatMap((line) => /CREATE USER (\w+)/.exec(line)?.[1] ?? []);
      const dropped = sent.flatMap((line) => /DROP USER (\w+) CASCADE/.exec(line)?.[1] ?? []);
      expect(made.length).toBe(2);
      expect([...dropped].sort()).toEqual([...made].sort());
      expect(sent.at(-1)).toBe('system: closed');
    },
  );
});
