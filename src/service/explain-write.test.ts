import { describe, expect, it } from 'vitest';
import { postgresConnector } from '../../connectors/postgres/connector.ts';
import { sampleChannel } from '../../test/support/lane-samples.ts';
import { compileTemplate } from '../template/compile.ts';
import type { CompiledTemplate } from '../template/template.ts';
import { explainWrite } from './explain-write.ts';

const { spec } = postgresConnector;
const docs = sampleChannel('docs');

function template(text: string): CompiledTemplate {
  const compiled = compileTemplate(text, spec.dialect);
  if (!compiled.ok) throw new Error('the template is wrong');
  return compiled.value;
}

describe('explainWrite', () => {
  it('says what the connector cannot write', () => {
    expect(explainWrite(docs, 'description', 'table', spec)).toBe('writes');
    expect(explainWrite(docs, 'owners', 'table', spec)).toBe('writes');
    expect(explainWrite(docs, 'tags', 'table', spec)).toBe(
      'nothing: postgres cannot write the tags of a table; only a template could',
    );
    expect(explainWrite(docs, 'owners', 'column', spec)).toContain('cannot write the owners of a column');
  });

  it('says what no template serves', () => {
    const slot = { template: template('COMMENT ON TABLE {schema}.{table} IS {description}') };
    const channel = sampleChannel('docs', { templates: [slot] });
    expect(explainWrite(channel, 'description', 'table', spec)).toBe('writes');
    expect(explainWrite(channel, 'description', 'column', spec)).toBe(
      'nothing: no template of the channel serves the description of a column',
    );
    expect(explainWrite(channel, 'tags', 'table', spec)).toContain('no template');
    const tags = { aspect: 'tags' as const, level: 'table' as const, template: slot.template };
    expect(explainWrite(sampleChannel('t', { templates: [tags] }), 'tags', 'table', spec)).toBe('writes');
  });

  it('an observing channel would write; without the connector nothing is said against it', () => {
    expect(explainWrite({ ...docs, mode: 'observe' }, 'description', 'table', spec)).toBe(
      'would write, but only observes',
    );
    expect(explainWrite(docs, 'tags', 'table', undefined)).toBe('writes');
  });
});
