import type { Statement } from './mssql-syntax.ts';
import type { Value } from './mssql-tokens.ts';

/** A procedure call with its bound arguments as literals, as an administrator would write it. */
export function asWritten(statement: Statement, variables: ReadonlyMap<string, Value>): string {
  if (statement.kind !== 'call') throw new Error(`a bound ${statement.kind}`);
  const args = statement.args.map(({ name, value }) => {
    const bound = value.kind === 'variable' ? variables.get(value.name) : value.kind === 'text' ? value.value : null;
    return `${name} = ${bound === null || bound === undefined ? 'NULL' : literal(String(bound))}`;
  });
  return `EXEC ${statement.procedure} ${args.join(', ')}`;
}

/** Two quotes for one; a line continuation keeps a backslash apart from a break, at the ends from whatever may come. */
function literal(text: string): string {
  let inside = '';
  for (let at = 0; at < text.length; at += 1) {
    const [char, next] = [text.charAt(at), text.charAt(at + 1)];
    if (at === 0 && (char === '\n' || char === '\r')) inside += '\\\r\n';
    inside += char === "'" ? "''" : char;
    if (char === '\\' && (next === '' || next === '\n' || next === '\r')) inside += '\\\r\n';
  }
  return `N'${inside}'`;
}

/** A batch without the trace of the change that our connector adds. */
export function withoutTrace(batch: string): string {
  return batch.replace(/ \/\*traceparent='[0-9a-f-]{55}'\*\/$/, '');
}
