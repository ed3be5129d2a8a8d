const BLOCK_TAGS = new Set([
  ...['address', 'article', 'blockquote', 'dd', 'div', 'dl', 'dt', 'figure', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr'],
  ...['ol', 'p', 'pre', 'section', 'table', 'tbody', 'thead', 'tr', 'ul', 'br', 'li'],
]);
const INLINE_TAGS = new Set([
  ...[
    'a',
    'abbr',
    'b',
    'big',
    'cite',
    'code',
    'del',
    'em',
    'font',
    'i',
    'img',
    'input',
    'ins',
    'kbd',
    'label',
    'mark',
    'q',
    's',
  ],
  ...[
    'samp',
    'small',
    'span',
    'strike',
    'strong',
    'sub',
    'sup',
    'td',
    'th',
    'u',
    'var',
    'script',
    'style',
    'iframe',
    'svg',
  ],
]);
/** Their content is never meant for a reader. */
const HIDDEN_TAGS = new Set(['script', 'style']);

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
  reg: '®',
  euro: '€',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  times: '×',
};

/** Each alternative stops at the next `<` or `>`, so the search is linear. */
const TAG = /<(\/?)([A-Za-z][A-Za-z0-9]*)((?:\s[^<>]*)?)\/?>/g;
const MENTION = /<#E::[^<>|]{0,500}\|([^<>]{0,500})>/g;
const AUTOLINK = /<((?:https?|mailto):[^<>\s]{1,2000})>/g;

/** Takes away the tags of HTML and keeps their text; what only looks like a tag (`Map<string, int>`) stays. Entities stay encoded. */
export function stripHtml(source: string): string {
  const text = cutBetween(source, '<!--', '-->').replace(MENTION, '$1').replace(AUTOLINK, '$1');
  let result = '';
  let from = 0;
  let hiddenUntil: string | undefined;
  for (const match of text.matchAll(TAG)) {
    const [whole, slash = '', tag = '', attributes = ''] = match;
    const name = tag.toLowerCase();
    if (!BLOCK_TAGS.has(name) && !INLINE_TAGS.has(name)) continue;
    if (hiddenUntil === undefined)
      result += text.slice(from, match.index) + replacement(name, slash === '/', attributes);
    from = match.index + whole.length;
    if (hiddenUntil === undefined && HIDDEN_TAGS.has(name) && slash === '') hiddenUntil = name;
    else if (hiddenUntil === name && slash === '/') hiddenUntil = undefined;
  }
  return hiddenUntil === undefined ? result + text.slice(from) : result;
}

function replacement(name: string, closes: boolean, attributes: string): string {
  if (name === 'li') return closes ? '' : '\n- ';
  if (name === 'td' || name === 'th') return closes ? ' ' : '';
  if (name === 'img') return closes ? '' : (/\salt="([^"<>]*)"/.exec(attributes)?.[1] ?? '');
  return BLOCK_TAGS.has(name) ? '\n' : '';
}

/** Removes what stands between two marks, the marks included; an opening mark without an end stays. */
function cutBetween(text: string, open: string, close: string): string {
  let result = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    const end = start === -1 ? -1 : text.indexOf(close, start + open.length);
    if (end === -1) return result + text.slice(from);
    result += text.slice(from, start);
    from = end + close.length;
  }
}

/** Decodes the common named entities and all numeric ones; an unknown or impossible one stays as it is. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return (Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined) ?? whole;
    const code = typeof decimal === 'string' ? Number.parseInt(decimal, 10) : Number.parseInt(String(hex), 16);
    const impossible = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
    return impossible ? whole : String.fromCodePoint(code);
  });
}
