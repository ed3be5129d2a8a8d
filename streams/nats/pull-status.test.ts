import { describe, expect, it } from 'vitest';
import { pullStatus } from './pull-status.ts';

describe('pullStatus', () => {
  it.each([
    [100, 'Idle Heartbeat', 'heartbeat'],
    [404, 'No Messages', 'ended'],
    [408, 'Request Timeout', 'ended'],
    [409, 'Message Size Exceeds MaxBytes', 'too-large'],
    [409, 'Batch Completed', 'ended'],
    [409, 'Consumer Deleted', 'consumer-gone'],
    [409, 'Leadership Change', 'leader-change'],
    [409, 'Server Shutdown', 'leader-change'],
    [409, 'Exceeded MaxWaiting', 'refused'],
    [409, 'Consumer is push based', 'refused'],
    [400, 'Bad Request', 'refused'],
    [503, '', 'no-responders'],
  ] as const)('%i %s: %s', (code, description, status) => {
    expect(pullStatus(code, description)).toBe(status);
  });
});
