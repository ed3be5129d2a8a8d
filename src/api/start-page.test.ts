import { describe, expect, it } from 'vitest';
import { START_PAGE } from './start-page.ts';

describe('START_PAGE', () => {
  it('links what answers as it is, and shows how to call what needs a parameter', () => {
    expect(START_PAGE).toContain('<a href="/api/v1/runs">/api/v1/runs</a>');
    expect(START_PAGE).toContain('<code>/api/v1/explain?fqn=…</code>: What was decided about an asset, and why');
    expect(START_PAGE).not.toContain('href="/api/v1/explain"');
  });
});
