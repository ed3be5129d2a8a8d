import { SCHEMA_COMMENT_MAX } from './spec.ts';
import { tokenize, unquoteString } from './tokens.ts';

/**
 * A statement of a template that would damage the server, whatever its author meant: MariaDB writes the comment of a schema into the
 * schema's options file unescaped (see `comment-text.ts`), where a line break becomes an option and too many bytes end the server.
 */
export function refuseTemplate(statements: readonly string[]): { code: string; message: string } | undefined {
  for (const statement of statements) {
    const tokens = tokenize(statement);
    if (!tokens.ok) continue;
    const texts = tokens.value
      .filter(({ kind }) => kind !== 'space')
      .map(({ start, end }) => statement.slice(start, end));
    const words = texts.slice(0, 4).map((text) => text.toUpperCase());
    const ofSchema =
      /^(ALTER|CREATE)$/.test(words[0] ?? '') && words.some((word) => word === 'DATABASE' || word === 'SCHEMA');
    if (!ofSchema) continue;
    for (const [i, token] of tokens.value.entries()) {
      if (token.kind !== 'string' || i === 0) continue;
      const text = unquoteString(statement.slice(token.start, token.end));
      if (/[\r\n]/.test(text)) {
        return {
          code: 'schema-comment-line-break',
          message:
            'MariaDB does not keep line breaks in the comment of a schema: after its next start the rest would be read as options of the schema.',
        };
      }
      if (Buffer.byteLength(text, 'utf8') > SCHEMA_COMMENT_MAX) {
        return {
          code: 'schema-comment-too-long',
          message: `MariaDB does not keep more than ${SCHEMA_COMMENT_MAX} bytes in the comment of a schema.`,
        };
      }
    }
  }
  return undefined;
}
