import { describe, expect, it } from 'vitest';
import { MAX_JSON_DEPTH, parseJsonText } from './json-text.ts';

const nested = (depth: number, fill: string) => `${'[{"a":'.repeat(depth / 2)}"${fill}"${'}]'.repeat(depth / 2)}`;
const codeOf = (text: string) => {
  const parsed = parseJsonText(text);
  return parsed.ok ? undefined : parsed.error.code;
};

describe('parseJsonText', () => {
  it.each([
    ['short', ''],
    // Brackets in a text are none.
    ['long', '[{'.repeat(50_000)],
  ])('bounds the nesting of a %s text exactly, whether it is JSON or not', (_, fill) => {
    const allowed = nested(MAX_JSON_DEPTH, fill);
    const deeper = `[${allowed}]`;
    expect(codeOf(allowed)).toBeUndefined();
    expect(codeOf(deeper)).toBe('json-too-deep');
    expect(codeOf(allowed.slice(0, -1))).toBe('json-syntax');
    expect(codeOf(deeper.slice(0, -1))).toBe('json-too-deep');
  });
});
