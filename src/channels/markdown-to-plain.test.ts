import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEntities } from './html-to-text.ts';
import { markdownToPlain } from './markdown-to-plain.ts';

describe('markdownToPlain', () => {
  it.each<readonly [string, string, string]>([
    ['plain text', 'One row per order.', 'One row per order.'],
    [
      'emphasis',
      'A **bold** and *slanted* and __strong__ and ~~old~~ word',
      'A bold and slanted and strong and old word',
    ],
    ['nested emphasis', '***both*** and **bold with *slanted* inside**', 'both and bold with slanted inside'],
    ['emphasis over lines', '**two\nlines**', 'two\nlines'],
    ['names with underscores', 'order_id and _private_ and __init__.py', 'order_id and private and init.py'],
    ['arithmetic', '2 * 3 * 4 and a*b', '2 * 3 * 4 and a*b'],
    ['a mark alone', '**not closed and `neither', '**not closed and `neither'],
    ['code', 'use `a_b_c * <b>` here', 'use a_b_c * <b> here'],
    ['a link', 'see [the wiki](https://w.example/a_(b)) now', 'see the wiki (https://w.example/a_(b)) now'],
    ['a link with a title', '[a](https://w.example "T")', 'a (https://w.example)'],
    ['a link that names itself', '[https://w.example](https://w.example)', 'https://w.example'],
    ['an address in angles', '<https://w.example/x>', 'https://w.example/x'],
    ['an image', '![a plot](p.png) below', 'a plot below'],
    ['a heading', '# Title #\n\n## C# facts\ntext', 'Title\n\nC# facts\ntext'],
    ['a list', '* one\n+ two\n  - three\n1. four', '- one\n- two\n  - three\n1. four'],
    ['a quote', '> said\n>> twice', 'said\ntwice'],
    ['a rule', 'above\n\n---\n\nbelow', 'above\n\nbelow'],
    ['a table', '| a | b |\n|---|:-:|\n| 1 | 2 |', 'a | b\n1 | 2'],
    ['a code block', '```sql\nSELECT **a** <b>\n```\nafter', 'SELECT **a** <b>\nafter'],
    ['escapes', '\\*not\\* \\[a\\](b) C:\\dir', '*not* [a](b) C:\\dir'],
    ['html', '<p>One <b>two</b><br/>three</p><ul><li>a</li><li>b</li></ul>', 'One two\nthree\n\n- a\n- b'],
    ['entities', 'a &lt;b&gt; &amp;amp; &#39;c&#x27; &eacute; &#0; &#xD800;', "a <b> &amp; 'c' &eacute; &#0; &#xD800;"],
    ['what only looks like a tag', 'Map<string, int> and a < b > c', 'Map<string, int> and a < b > c'],
    ['a script', 'a<script>alert("<b>")</script>b<style>x{}</style>c', 'abc'],
    ['a comment', 'a<!-- hidden -->b <!-- open', 'ab <!-- open'],
    ['a mention', 'ask <#E::user::ana|@ana> first', 'ask @ana first'],
    ['carriage returns and many blank lines', 'a\r\n\r\n\r\n\r\nb\r\n', 'a\n\nb'],
    ['nothing', '', ''],
    ['only marks', '<p></p>\n\n', ''],
    ['other scripts', '**مرحبا** 🎉 *日本語*', 'مرحبا 🎉 日本語'],
  ])('%s', (_, source, expected) => {
    expect(markdownToPlain(source)).toBe(expected);
  });

  it('never throws, and never makes a text that grows', () => {
    const piece = fc.constantFrom(
      '*',
      '**',
      '_',
      '~~',
      '`',
      '```\n',
      '[',
      '](',
      ')',
      '![',
      '<b>',
      '</b>',
      '<!--',
      '-->',
      '&lt;',
      '#',
      '> ',
      '| ',
      '\n',
      ' ',
      'a',
      '\\',
      '\ud800',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
        const source = pieces.join('');
        // Only a link grows, by the blank before its bracket, and an entity or a list item never does.
        expect(markdownToPlain(source).length).toBeLessThanOrEqual(source.length + pieces.length);
      }),
      { numRuns: 5000, seed: 11 },
    );
  });

  it('stays linear on texts that are made to make it slow', () => {
    const size = 200_000;
    const hostile = [
      '[',
      '](',
      '[](',
      '*a ',
      '_a',
      '`a``',
      '<a ',
      '<b',
      '&#',
      '<!--',
      '|-',
      '# #',
      ' ',
      '- ',
      '> ',
      '\\',
      '![',
      '~~a',
      '<#E::x|',
      '\n',
      '*_*~~',
    ];
    for (const part of hostile) {
      const source = part.repeat(Math.ceil(size / part.length));
      // A search that is not linear would take minutes here and run into the time limit of the test.
      expect(markdownToPlain(source).length).toBeLessThanOrEqual(source.length * 2);
    }
  });
});

describe('decodeEntities', () => {
  it('decodes once', () => {
    expect(decodeEntities('&amp;lt;')).toBe('&lt;');
  });
});
