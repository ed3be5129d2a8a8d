import type { TextLimit } from '../contract.ts';

/**
 * The character set of a database, as far as texts depend on it: which characters it holds (the server puts a question mark for
 * others without a word), and how much of a text goes into so many of its bytes.
 */
export interface Charset {
  readonly name: string;
  /** Whether it holds every character that there is. */
  readonly isUnicode: boolean;
  holds(character: string): boolean;
  limit(text: string, bytes: number): Pick<TextLimit, 'max' | 'unit'>;
}

/** Names of single-byte character sets in Oracle and on the web, where they mean the same. */
const SINGLE_BYTE: Readonly<Record<string, string>> = {
  WE8MSWIN1252: 'windows-1252',
  EE8MSWIN1250: 'windows-1250',
  CL8MSWIN1251: 'windows-1251',
  EL8MSWIN1253: 'windows-1253',
  TR8MSWIN1254: 'windows-1254',
  IW8MSWIN1255: 'windows-1255',
  AR8MSWIN1256: 'windows-1256',
  BLT8MSWIN1257: 'windows-1257',
  VN8MSWIN1258: 'windows-1258',
  EE8ISO8859P2: 'iso-8859-2',
  CL8ISO8859P5: 'iso-8859-5',
  EL8ISO8859P7: 'iso-8859-7',
  WE8ISO8859P15: 'iso-8859-15',
  CL8KOI8R: 'koi8-r',
};

const isAscii = (character: string): boolean => character <= '\u007f';
const inUtf8 = (_text: string, max: number): ReturnType<Charset['limit']> => ({ max, unit: 'bytes' });
const oneByteEach = (_text: string, max: number): ReturnType<Charset['limit']> => ({ max, unit: 'characters' });
/** Surrogate pairs are stored as two characters of three bytes: six where UTF-8 has four. */
const inCesu8 = (text: string, max: number): ReturnType<Charset['limit']> => ({
  max: /[\u{10000}-\u{10ffff}]/u.test(text) ? Math.floor((max * 4) / 6) : max,
  unit: 'bytes',
});

/** The character set of this name (`NLS_CHARACTERSET`). Of those that are not known, only ASCII is taken for certain. */
export function charsetNamed(name: string): Charset {
  if (name === 'AL32UTF8') return { name, isUnicode: true, holds: () => true, limit: inUtf8 };
  if (name === 'UTF8') return { name, isUnicode: true, holds: () => true, limit: inCesu8 };
  const holds = heldBy(name);
  return { name, isUnicode: false, holds: holds ?? isAscii, limit: holds === undefined ? inUtf8 : oneByteEach };
}

function heldBy(name: string): Charset['holds'] | undefined {
  if (name === 'WE8ISO8859P1') return (character) => character <= '\u00ff';
  const label = SINGLE_BYTE[name];
  if (label === undefined) return undefined;
  const upper = new Set(new TextDecoder(label).decode(Uint8Array.from({ length: 128 }, (_, i) => 128 + i)));
  // The web fills gaps of the tables with control characters and private ones, which Oracle does not have there.
  const isGap = (character: string): boolean => /[\u0080-\u009f\ufffd]|\p{Co}/u.test(character);
  return (character) => isAscii(character) || (upper.has(character) && !isGap(character));
}

/** A text that the character set holds, and how many characters had to become question marks for it. */
export function representable(text: string, charset: Charset): { readonly text: string; readonly lost: number } {
  let lost = 0;
  let kept = '';
  for (const character of text) {
    const held = charset.holds(character);
    kept += held ? character : '?';
    if (!held) lost += 1;
  }
  return { text: kept, lost };
}
