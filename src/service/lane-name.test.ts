import { describe, expect, it } from 'vitest';
import { encodeToken } from '../domain/subjects.ts';
import { parseLaneName } from './lane-name.ts';

describe('the name of a lane', () => {
  it('says whose lane it is, whatever the target is called', () => {
    for (const target of ['pg', 'a-0of2', 'with blank', 'ümlaut', ''])
      expect(parseLaneName(`lane-${encodeToken(target)}-3of12`)).toEqual({ target, partition: 3, partitions: 12 });
  });

  it('is not what other keys of the bucket look like', () => {
    for (const key of ['member.host-1-abc', 'carry.pg', 'lane-pg', 'lane-pg-1of', 'xlane-pg-0of1'])
      expect(parseLaneName(key)).toBeUndefined();
  });
});
