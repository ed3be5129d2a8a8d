import { err, ok, type Result } from '../../src/domain/result.ts';

/** Settings of an ODBC connection string, keys in lower case without blanks and underscores. */
export type OdbcSettings = ReadonlyMap<string, string>;

/** Reads `KEY=value;KEY={value;with};…`, OpenMetadata's `uriString`. The error is a sentence for a person and holds no value. */
export function parseOdbcString(text: string): Result<OdbcSettings, string> {
  if (/^[a-z+]+:\/\//i.test(text.trim())) {
    return err('must be an ODBC connection string (Server=…;Database=…;UID=…;PWD=…); a URL is not supported.');
  }
  const settings = new Map<string, string>();
  const pair = /\s*([^=;{}]+?)\s*=\s*(?:\{((?:[^}]|\}\})*)\}|([^;]*))\s*(?:;|$)/y;
  while (pair.lastIndex < text.length) {
    const start = pair.lastIndex;
    const match = pair.exec(text);
    if (match === null) {
      if (text.slice(start).trim() === '') break;
      return err(`cannot be read as an ODBC connection string at character ${start + 1}.`);
    }
    const value = match[2] === undefined ? (match[3] ?? '').trim() : match[2].replaceAll('}}', '}');
    settings.set(settingName(match[1] ?? ''), value);
  }
  return ok(settings);
}

/** `Trust_Server Certificate` and `TrustServerCertificate` are the same setting. */
export function settingName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_]/g, '');
}
