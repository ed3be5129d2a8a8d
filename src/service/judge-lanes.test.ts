import { describe, expect, it } from 'vitest';
import { balanceTimings, judgeLanes, type SeenLane, type SeenMember } from './judge-lanes.ts';

const TIMINGS = balanceTimings(10_000);

/** Every lane prefers the last of the members in alphabetical order: a newcomer `z` wants everything. */
const lastWins = (lanes: readonly { readonly lane: string }[], members: readonly string[]) =>
  new Map(lanes.map(({ lane }) => [lane, members.toSorted().at(-1) ?? '']));

const lane = (seen: Partial<SeenLane> = {}): SeenLane => ({
  lane: 'l',
  target: 't',
  holder: undefined,
  freeMs: 0,
  standInMs: undefined,
  ...seen,
});
const member = (replica: string, seen: Partial<SeenMember> = {}): SeenMember => ({
  replica,
  quietMs: 100,
  knownMs: 60_000,
  ...seen,
});
const verdict = (self: string, others: readonly SeenMember[], seen: SeenLane) =>
  judgeLanes(self, others, [seen], TIMINGS, lastWins).get('l');

describe('the judgement of a lane', () => {
  it('claims what is free and prefers us, and leaves the rest to those whom it prefers', () => {
    expect(verdict('m', [], lane())).toBe('claim');
    expect(verdict('m', [member('a')], lane())).toBe('claim');
    expect(verdict('m', [member('z')], lane())).toBe('leave');
  });

  it('leaves alone what another holds, whoever it prefers', () => {
    expect(verdict('m', [member('a')], lane({ holder: 'a' }))).toBe('leave');
    expect(verdict('m', [member('z')], lane({ holder: 'a' }))).toBe('leave');
  });

  it('stands in when the preferred one does not come, and keeps the lane for a while then', () => {
    expect(verdict('m', [member('z')], lane({ freeMs: 4_999 }))).toBe('leave');
    expect(verdict('m', [member('z')], lane({ freeMs: 5_000 }))).toBe('stand-in');
    expect(verdict('m', [member('z')], lane({ holder: 'm', standInMs: 59_999 }))).toBe('leave');
    expect(verdict('m', [member('z')], lane({ holder: 'm', standInMs: 60_000 }))).toBe('hand-over');
  });

  it('hands over to a newcomer only when it has proven to stay', () => {
    const held = lane({ holder: 'm' });
    expect(verdict('m', [member('z', { knownMs: 2_999 })], held)).toBe('leave');
    expect(verdict('m', [member('z', { knownMs: 3_000 })], held)).toBe('hand-over');
    // The newcomer itself takes at once what is free.
    expect(verdict('z', [member('m')], lane())).toBe('claim');
  });

  it('counts nobody who has been silent for the time of a lease', () => {
    expect(verdict('m', [member('z', { quietMs: 9_999 })], lane())).toBe('leave');
    expect(verdict('m', [member('z', { quietMs: 10_000 })], lane())).toBe('claim');
    expect(verdict('m', [member('z', { quietMs: 10_000 })], lane({ holder: 'm' }))).toBe('leave');
  });

  it('keeps a lane that would come back as soon as a second newcomer is settled', () => {
    const owners = (_: readonly unknown[], members: readonly string[]) =>
      new Map([['l', members.includes('y') ? 'm' : 'z']]);
    const others = [member('z'), member('y', { knownMs: 10 })];
    expect(judgeLanes('m', others, [lane({ holder: 'm' })], TIMINGS, owners).get('l')).toBe('leave');
  });
});
