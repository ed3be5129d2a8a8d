/** Session and transaction control, and questions: what the log holds besides the writes. */
const NOT_A_WRITE = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SELECT|SET|DISCARD)\b/i;

/**
 * The writing statements of sessions of this name in a server log written with `log_line_prefix = '@@%a@@'`, without their trace
 * comments. Every further line of an entry is indented by a tab, so that an entry cannot be forged by its text.
 */
export function loggedStatements(log: string, application: RegExp): readonly string[] {
  return log.split(/\n(?=@@)/).flatMap((entry) => {
    const match = /^@@([^@]*)@@LOG: {2}(?:statement|execute [^:]*): ([\s\S]*)$/.exec(entry);
    if (match?.[1] === undefined || match[2] === undefined || !application.test(match[1])) return [];
    const statement = match[2]
      .replaceAll('\n\t', '\n')
      .replace(/ \/\*traceparent='[0-9a-f-]{55}'\*\/\n?$/, '')
      .replace(/\n$/, '');
    return NOT_A_WRITE.test(statement) ? [] : [statement];
  });
}
