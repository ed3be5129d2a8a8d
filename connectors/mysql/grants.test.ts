import { describe, expect, it } from 'vitest';
import { grantPattern, isGranted, parseGrant } from './grants.ts';

const grants = (...lines: string[]) => lines.flatMap((line) => parseGrant(line) ?? []);

describe('grants', () => {
  it.each([
    ["GRANT ALL PRIVILEGES ON *.* TO `r`@`%` IDENTIFIED BY PASSWORD '*X' WITH GRANT OPTION", 'ALTER', 'any', 't', true],
    ['GRANT USAGE ON *.* TO `u`@`%`', 'ALTER', 'app', 't', false],
    ['GRANT SELECT, ALTER ON `app`.* TO `u`@`%`', 'ALTER', 'app', 't', true],
    ['GRANT SELECT, ALTER ON `app`.* TO `u`@`%`', 'ALTER', 'other', 't', false],
    ['GRANT SELECT, LOCK TABLES ON `app`.* TO `u`@`%`', 'LOCK TABLES', 'app', undefined, true],
    ['GRANT ALTER ON `a_p`.* TO `u`@`%`', 'ALTER', 'abp', 't', true],
    ['GRANT ALTER ON `a\\_p`.* TO `u`@`%`', 'ALTER', 'abp', 't', false],
    ['GRANT ALTER ON `a\\_p`.* TO `u`@`%`', 'ALTER', 'a_p', 't', true],
    ['GRANT ALTER ON `a%`.* TO `u`@`%`', 'ALTER', 'a.(b', 't', true],
    ['GRANT ALTER ON `app`.`t``x` TO `u`@`%`', 'ALTER', 'app', 't`x', true],
    ['GRANT ALTER ON `app`.`t` TO `u`@`%`', 'ALTER', 'app', 'x', false],
    ['GRANT ALTER ROUTINE ON `app`.* TO `u`@`%`', 'ALTER', 'app', 't', false],
    ['GRANT SELECT (`a`, `b`), ALTER ON `app`.`t` TO `u`@`%`', 'ALTER', 'app', 't', true],
    ['GRANT `role` TO `u`@`%`', 'ALTER', 'app', 't', false],
    ['GRANT PROXY ON ``@`%` TO `root`@`localhost` WITH GRANT OPTION', 'ALTER', 'app', 't', false],
  ])('%s: %s on %s.%s is %s', (line, privilege, database, table, granted) => {
    expect(isGranted(grants(line), privilege, database, table)).toBe(granted);
  });

  it('writes the name of a database so that it means only itself', () => {
    expect(grantPattern('my_app`%')).toBe('`my\\_app``\\%`');
  });
});
