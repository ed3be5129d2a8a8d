import { describe, expect, it } from 'vitest';
import { TransactionSize } from './transaction-size.ts';

describe('TransactionSize', () => {
  it('grows to the most while transactions are quick', () => {
    const size = new TransactionSize(100);
    const sizes = Array.from({ length: 5 }, () => {
      const { comments } = size;
      size.took(comments, 10);
      return comments;
    });
    expect(sizes).toEqual([16, 32, 64, 100, 100]);
  });

  it('comes down to one comment where even that is slow, and goes up again', () => {
    const size = new TransactionSize(500);
    for (let i = 0; i < 8; i += 1) size.took(size.comments, 6_000);
    expect(size.comments).toBe(1);
    size.took(1, 3_000);
    expect(size.comments).toBe(1);
    size.took(1, 900);
    expect(size.comments).toBe(2);
  });

  it('learns nothing from transactions that were smaller for want of work', () => {
    const size = new TransactionSize(500);
    for (let i = 0; i < 8; i += 1) size.took(3, 1);
    expect(size.comments).toBe(16);
  });

  it('never begins above the most', () => {
    expect(new TransactionSize(5).comments).toBe(5);
  });
});
