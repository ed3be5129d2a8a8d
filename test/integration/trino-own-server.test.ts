import { describe, expect, it } from 'vitest';
import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { startOwnTrino, TRINO_DESCRIPTIONS } from '../support/trino-own-server.ts';

/** A server of the user's own: `https://user:password@host:port/catalog`, or OpenMetadata's connection JSON with `catalog`. */
const own = process.env.BACKFLOW_TEST_TRINO_URL;
if (own !== undefined && own !== '') {
  conformanceSuite("a Trino of the user's own", TRINO_DESCRIPTIONS, () => startOwnTrino(own), 600_000);
}

describe("the suite for a user's own Trino", () => {
  it('says what it needs', async () => {
    await expect(startOwnTrino('https://ada:pw@127.0.0.1:1')).rejects.toThrow('catalog');
    const anonymous = JSON.stringify({ hostPort: '127.0.0.1:1', username: 'ada', catalog: 'lake' });
    await expect(startOwnTrino(anonymous)).rejects.toThrow('a login with a password over HTTPS');
  });

  it('does not start without the server', async () => {
    await expect(startOwnTrino('https://ada:p%40w@127.0.0.1:1/lake')).rejects.toMatchObject({ class: 'transient' });
  });

  it('plans nothing but descriptions', () => {
    const object = {
      level: 'table',
      entityType: 'table',
      fqn: 'x',
      service: 't',
      database: 'a',
      schema: 'b',
      table: 'c',
    } as const;
    expect(TRINO_DESCRIPTIONS.plan({ aspect: 'owners', object, principal: 'ada' }, undefined, {}).ok).toBe(false);
    expect(TRINO_DESCRIPTIONS.plan({ aspect: 'description', object, text: 'x' }, undefined, {}).ok).toBe(true);
  });
});
