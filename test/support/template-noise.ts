import fc from 'fast-check';

/** What the random templates of a dialect are put together from. */
export interface NoiseTable {
  /** Fragments around `@`, which becomes a placeholder with noise on both sides. */
  readonly frames: readonly string[];
  /** What may stand beside a placeholder, right or wrong there. */
  readonly noise: readonly string[];
  /** What may stand between two frames. */
  readonly between: readonly string[];
  readonly placeholders: readonly string[];
}

/** Templates that hold placeholders in every imaginable surrounding; most are refused, those that are not have to be right. */
export function randomTemplate(table: NoiseTable): fc.Arbitrary<string> {
  const noise = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: fc.array(fc.constantFrom(...table.noise), { maxLength: 3 }).map((list) => list.join('')) },
  );
  const item = fc
    .tuple(fc.constantFrom(...table.frames), noise, fc.constantFrom(...table.placeholders), noise)
    .map(([frame, before, placeholder, after]) => frame.replace('@', () => `${before}${placeholder}${after}`));
  const between = fc.oneof(
    { weight: 4, arbitrary: fc.constant(', ') },
    { weight: 1, arbitrary: fc.constantFrom(...table.between) },
  );
  return fc
    .tuple(item, fc.array(fc.tuple(between, item), { maxLength: 3 }))
    .map(([first, more]) => `SELECT ${first}${more.map(([gap, next]) => `${gap}${next}`).join('')}`);
}

export const POSTGRES_NOISE: NoiseTable = {
  frames: [
    '@',
    "'@'",
    "E'@'",
    "e'@'",
    "N'@'",
    '$$@$$',
    '$t$@$t$',
    '"@"',
    'E@',
    'n@',
    "U&'@'",
    "X'@'",
    'U&@',
    "x IS'@'",
    '/* @ */ 1',
    '1 -- @\n',
    "'a' || '@'",
    '($$a$$, @)',
    '"x".@',
    '@.@',
    '/* /* */ @ */ 1',
    "date'@'",
  ],
  noise: [
    "'",
    "''",
    '"',
    '""',
    '\\',
    '\\\\',
    "\\'",
    '\\x',
    '\\n',
    '$$',
    '$t$',
    '$',
    '--',
    '/*',
    '*/',
    '{{',
    '}}',
    ' ',
    'a',
    '\n',
    ';',
    ',',
  ],
  between: [
    ', ',
    ' ',
    '\n',
    ' || ',
    ' /* c */, ',
    ', -- c\n',
    '; SELECT ',
    ', /* /* */ */ ',
    " /* ' */ , ",
    ', -- "\n',
    ', -- a\r',
    " , 'b' , ",
    ", E'\\'' , ",
    ", $a$ ' $a$ , ",
    ", E'c'\n'd\\' , ",
  ],
  placeholders: [
    '{description}',
    '{service}',
    '{table}',
    '{schema}',
    '{description}{service}',
    '{description} {service}',
  ],
};

export const MYSQL_NOISE: NoiseTable = {
  frames: [
    '@',
    "'@'",
    "N'@'",
    '"@"',
    '`@`',
    'n@',
    "X'@'",
    "b'@'",
    "_utf8mb4'@'",
    '_utf8mb4 @',
    '/* @ */ 1',
    '/*! @ */ 1',
    '1 -- @\n',
    '1 # @\n',
    "concat('a', '@')",
    '`x`.@',
    '@.@',
    '/* /* */ @',
  ],
  noise: [
    "'",
    "''",
    '"',
    '""',
    '`',
    '``',
    '\\',
    '\\\\',
    "\\'",
    '\\n',
    '--',
    '-- ',
    '#',
    '/*',
    '*/',
    '/*!',
    '{{',
    '}}',
    ' ',
    'a',
    '\n',
    ';',
    ',',
  ],
  between: [
    ', ',
    ' ',
    '\n',
    ' /* c */, ',
    ', -- c\n',
    '; SELECT ',
    ", # '\n",
    ' , "b" , ',
    " , 'b\\'' , ",
    ' , `c``` , ',
    ", -- a\r '",
    ' /*! , */ ',
  ],
  placeholders: [
    '{description}',
    '{service}',
    '{table}',
    '{schema}',
    '{description}{service}',
    '{description} {service}',
  ],
};
