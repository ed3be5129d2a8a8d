import { describe, expect, it } from 'vitest';
import { label, owner } from '../../test/support/sample-snapshot.ts';
import type { OwnerRules } from '../config/compiled.ts';
import { principalOf } from './owner-rules.ts';
import { DEFAULT_TAG_RULES, managedTags } from './tag-rules.ts';

describe('managedTags', () => {
  it('makes key and value of classification and name, sorted, each once', () => {
    const labels = [label('Team.Sales'), label('PII.Sensitive'), label('PII.Sensitive', { labelType: 'Propagated' })];
    expect(managedTags(labels)).toEqual({
      ok: true,
      value: [
        { key: 'PII', value: 'Sensitive' },
        { key: 'Team', value: 'Sales' },
      ],
    });
  });

  it.each([
    ['suggested', label('PII.Sensitive', { state: 'Suggested' })],
    ['derived', label('PII.Sensitive', { labelType: 'Derived' })],
    ['glossary', label('Business.Customer', { source: 'Glossary' })],
    ['tier', label('Tier.Tier1')],
    ['certification', label('Certification.Gold')],
    ['policy tag', label('PostgresPolicyTags.x')],
  ])('passes over a %s label', (_, one) => {
    expect(managedTags([one])).toEqual({ ok: true, value: [] });
  });

  it('takes glossary terms and derived labels where the rules say so', () => {
    const rules = { ...DEFAULT_TAG_RULES, glossary: true, derived: true };
    const labels = [
      label('Business.Customer.Name', { source: 'Glossary' }),
      label('PII.None', { labelType: 'Derived' }),
    ];
    expect(managedTags(labels, rules)).toEqual({
      ok: true,
      value: [
        { key: 'Business', value: 'Customer.Name' },
        { key: 'PII', value: 'None' },
      ],
    });
  });

  it('keeps dots inside quoted parts', () => {
    expect(managedTags([label('"a.b"."c.d"')])).toEqual({ ok: true, value: [{ key: 'a.b', value: 'c.d' }] });
  });

  it('refuses two values of one key, and names them', () => {
    const result = managedTags([label('PII.Sensitive'), label('PII.None')]);
    expect(result.ok ? '' : result.error.reason).toMatch(
      /"PII" has several tags \(None and Sensitive\).*mutually exclusive/,
    );
  });

  it('refuses a label that is no key and value', () => {
    const result = managedTags([label('alone')]);
    expect(result.ok ? '' : result.error.reason).toContain('"alone"');
  });
});

describe('principalOf', () => {
  const rules: OwnerRules = {
    map: new Map([
      ['ana', 'ana_role'],
      ['bo', 'bo_role'],
      ['sales', 'sales_role'],
    ]),
    team: 'role',
    multiple: 'first',
  };
  const team = (name: string) => owner(name, { type: 'team' });
  const reason = (result: ReturnType<typeof principalOf>): string => (result.ok ? '' : result.error.reason);

  it('maps users and teams, and knows that there is no owner', () => {
    expect(principalOf([owner('ana')], rules)).toEqual({ ok: true, value: 'ana_role' });
    expect(principalOf([team('sales')], rules)).toEqual({ ok: true, value: 'sales_role' });
    expect(principalOf([], rules)).toEqual({ ok: true, value: undefined });
  });

  it('takes the first that maps, or none of several', () => {
    expect(principalOf([owner('unknown'), owner('bo'), owner('ana')], rules)).toEqual({ ok: true, value: 'bo_role' });
    expect(reason(principalOf([owner('bo'), owner('ana')], { ...rules, multiple: 'skip' }))).toContain(
      'several own it (bo, ana)',
    );
  });

  it('never guesses', () => {
    expect(reason(principalOf([owner('Ana')], rules))).toContain(
      'no principal is mapped for Ana; add the name to owners.map',
    );
  });

  it('passes over teams where the rules say so', () => {
    const skip: OwnerRules = { ...rules, team: 'skip', multiple: 'skip' };
    expect(principalOf([team('sales'), owner('ana')], skip)).toEqual({ ok: true, value: 'ana_role' });
    expect(reason(principalOf([team('sales')], skip))).toContain('only teams own it (sales)');
  });

  it('does not take inherited owners for its own', () => {
    expect(reason(principalOf([owner('ana', { inherited: true })], rules))).toContain('inherited');
    expect(principalOf([owner('ana', { inherited: true }), owner('bo')], rules)).toEqual({
      ok: true,
      value: 'bo_role',
    });
  });
});
