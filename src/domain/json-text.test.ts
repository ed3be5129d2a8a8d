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

  it.each([
    ['short', 0],
    ['long', 70_000],
  ])('leaves members named __proto__ out of a %s text, however they are spelt', (_, padding) => {
    for (const name of ['__proto__', '\\u005f_proto__']) {
      const text = `{"pad":"${'x'.repeat(padding)}","list":[{"${name}":{"polluted":true},"kept":1}]}`;
      const parsed = parseJsonText(text);
      expect(parsed.ok && JSON.stringify(parsed.value)).toBe(`{"pad":"${'x'.repeat(padding)}","list":[{"kept":1}]}`);
    }
    expect({}).not.toHaveProperty('polluted');
  });
});
