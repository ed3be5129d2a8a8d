import { describe, expect, it } from 'vitest';
import { refuseTemplate } from './template-guard.ts';

describe('templates of SQL Server', () => {
  it.each([
    ['COMMIT', 'template-session-control'],
    ["UPDATE a SET b = N'x' ROLLBACK", 'template-session-control'],
    ['/* /* */ */ begin\ntran', 'template-session-control'],
    ['SAVE TRANSACTION x', 'template-session-control'],
    ['USE [master]', 'template-session-control'],
    ['SET QUOTED_IDENTIFIER OFF', 'template-session-control'],
    ["EXEC (N'SELECT 1')", 'template-runs-text'],
    ["SELECT 1 EXECUTE(N'x')", 'template-runs-text'],
    ["DECLARE @q nvarchar(max) = N'x' EXEC @q", 'template-runs-text'],
    ["EXEC sp_executesql N'x'", 'template-runs-text'],
    ["EXEC sys.[sp_executesql] N'x'", 'template-runs-text'],
    ['EXEC "xp_cmdshell" N\'x\'', 'template-runs-text'],
    ["SELECT * FROM OPENQUERY(s, N'x')", 'template-runs-text'],
    ['SELECT 1 -- a\rb', 'template-lone-cr'],
    ["SELECT N'x", 'template-not-closed'],
  ])('does not run %j', (statement, code) => {
    expect(refuseTemplate(statement)?.code).toBe(code);
  });

  it.each([
    "EXEC sys.sp_addextendedproperty @name = N'COMMIT; EXEC (x)', @value = N'sp_executesql'",
    'EXEC dbo.tag_it @table = [commit]',
    'EXEC @result = dbo.tag_it',
    'SELECT 1 -- COMMIT\r\n',
    'BEGIN SELECT 1 END',
    '/* USE master */ SELECT [use], "save" FROM t',
  ])('runs %j', (statement) => {
    expect(refuseTemplate(statement)).toBeUndefined();
  });
});
