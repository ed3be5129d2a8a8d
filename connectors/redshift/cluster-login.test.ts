import { describe, expect, it } from 'vitest';
import { type LoginRequest, renewedLogin } from './cluster-login.ts';

const REQUEST: LoginRequest = {
  target: { cluster: 'analytics' },
  region: 'eu-central-1',
  keys: { accessKeyId: 'AKID', secretAccessKey: 'secret key' },
  user: 'backflow',
  database: 'shop',
};

describe('login by AWS identity', () => {
  it('is asked for once, shared, and renewed a minute before it ends', async () => {
    let asked = 0;
    let now = 0;
    const login = renewedLogin(
      (request) => {
        asked += 1;
        return Promise.resolve({ user: `IAM:${request.user}`, password: `p${asked}`, expiresAt: now + 900_000 });
      },
      REQUEST,
      () => now,
    );
    const both = await Promise.all([login(), login()]);
    expect(both.map(({ password }) => password)).toEqual(['p1', 'p1']);
    now = 839_999;
    expect((await login()).password).toBe('p1');
    now = 840_000;
    expect((await Promise.all([login(), login()])).map(({ password }) => password)).toEqual(['p2', 'p2']);
    expect(asked).toBe(2);
  });

  it('is asked for again after a failure', async () => {
    let fails = true;
    const login = renewedLogin(
      () =>
        fails ? Promise.reject(new Error('away')) : Promise.resolve({ user: 'u', password: 'p', expiresAt: 1e12 }),
      REQUEST,
      () => 0,
    );
    await expect(login()).rejects.toThrow('away');
    fails = false;
    expect((await login()).password).toBe('p');
  });
});
