import { describe, expect, it } from 'vitest';
import { describeServer, hasSchemaComments, parseServer, printsJsonAsLongtext } from './server.ts';

describe('server', () => {
  it.each([
    ['8.0.36', 'MySQL 8.0.36', false, false],
    ['8.4.0-log', 'MySQL 8.4.0', false, false],
    ['10.11.19-MariaDB-0+deb12u1', 'MariaDB 10.11.19', true, true],
    ['5.5.5-10.6.16-MariaDB', 'MariaDB 10.6.16', true, true],
    ['10.4.32-MariaDB', 'MariaDB 10.4.32', false, false],
    ['11.4.2-MariaDB-log', 'MariaDB 11.4.2', true, true],
  ])('%s', (version, name, schemaComments, json) => {
    const server = parseServer(version);
    expect(describeServer(server)).toBe(name);
    expect(hasSchemaComments(server)).toBe(schemaComments);
    expect(printsJsonAsLongtext(server)).toBe(json);
  });
});
