import { describe, expect, it } from 'vitest';
import { tag } from './ledger-samples.ts';
import { NO_VALUE, valueHash } from './value-hash.ts';

describe('valueHash', () => {
  it('takes absent and empty for the same, as every source does', () => {
    expect([valueHash(undefined), valueHash(''), valueHash([])]).toEqual([NO_VALUE, NO_VALUE, NO_VALUE]);
  });

  it('knows sets by their members, and labels by what they are', () => {
    expect(valueHash(['a', 'b'])).toBe(valueHash(['b', 'a']));
    expect(valueHash([tag('A.x')])).toBe(valueHash([{ ...tag('A.x'), labelType: 'Derived' }]));
    expect(valueHash([tag('A.x')])).not.toBe(valueHash([{ ...tag('A.x'), source: 'Glossary' }]));
  });

  it('tells apart texts that encodings would make equal', () => {
    const texts = ['\ud800', '\udfff', '\ufffd', 'a\u0000', 'a', '["a"]'];
    expect(new Set([...texts.map((text) => valueHash(text)), valueHash(['a'])]).size).toBe(texts.length + 1);
  });
});
