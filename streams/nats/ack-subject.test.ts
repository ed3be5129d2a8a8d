import { describe, expect, it } from 'vitest';
import { parseAckSubject } from './ack-subject.ts';

describe('parseAckSubject', () => {
  const expected = { deliveryCount: 2, streamSequence: 17, streamTime: 1796036430137, pending: 5 };

  it('reads the short form and the long one with domain and account', () => {
    expect(parseAckSubject('$JS.ACK.CHANGES.lane.2.17.30.1796036430137141539.5')).toEqual(expected);
    expect(parseAckSubject('$JS.ACK.hub.ABC.CHANGES.lane.2.17.30.1796036430137141539.5.x9')).toEqual(expected);
  });

  it('takes nothing else for a delivery', () => {
    for (const other of [
      undefined,
      '',
      '_INBOX.a.1',
      '$JS.ACK.a.b',
      '$JS.ACK.a.b.x.1.1.1.1',
      '$JS.ACK.1.2.3.4.5.6.7.8',
    ]) {
      expect(parseAckSubject(other)).toBeUndefined();
    }
  });
});
