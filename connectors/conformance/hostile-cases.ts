/** Texts that break a connector that quotes, cuts, trims or normalises on its own account. All are well-formed Unicode without NUL. */
export const HOSTILE_TEXTS: ReadonlyMap<string, string> = new Map([
  ['single quote', "it's ''quoted''"],
  ['closing quote and statement', "'; DROP TABLE canary; --"],
  ['escaped quote', "\\'; DROP TABLE canary; --"],
  ['trailing backslash', 'ends with \\'],
  ['trailing backslashes', 'ends with \\\\\\'],
  ['backslash letters', 'C:\\new\\table\\0 \\u0041 \\x41 \\% \\_ \\Z'],
  ['double quote', 'say "hi" ""'],
  ['backtick and bracket', '`a` ``b`` [c] ]]'],
  ['newlines', 'one\ntwo\r\nthree\rfour\n'],
  ['control characters', 'tab\there \u0001 \u001a \u007f \u0085'],
  ['line and paragraph separator', 'a\u2028b\u2029c'],
  ['dollar quotes', `$$ $tag$ $1 ${'$'}{x} $a$`],
  ['comment marks', '/* open -- dash # hash */ -- /* /* */'],
  ['braces and placeholders', '{description} {{x}} } { %s %(x)s :name ? @v $1'],
  ['semicolons', 'a; b;; COMMIT; c'],
  ['astral', 'emoji 😀 👩‍👩‍👧 𝒳 \u{10ffff}'],
  ['right to left', 'שלום \u202eabc\u202c مرحبا'],
  ['combining, not composed', 'e\u0301 is not \u00e9'],
  ['byte order mark', '\ufeffstarts with a mark'],
  ['blanks at both ends', '  kept  '],
  ['looks like NULL', 'NULL'],
  ['looks like a literal', "E'\\\\x' N'x' U&'\\0041' X'41'"],
  ['trace comment', "x /*traceparent='00-0'*/"],
  ['fullwidth quotes', '＇ ʼ ′ ‘ ’ “ ” ＂ ＼'],
]);

/** Texts that no system stores as they are. */
export const UNSENDABLE_TEXTS: ReadonlyMap<string, string> = new Map([
  ['NUL', 'a\0b'],
  ['NUL at the end', 'a\0'],
  ['lone high surrogate', 'a\ud800b'],
  ['lone low surrogate', '\udfff'],
  ['surrogates the wrong way round', '\udc00\ud800'],
]);
