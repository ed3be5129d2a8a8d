import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments.ts';
import { CASES, needsOf } from './cases.ts';

function optionsOf(...args: string[]) {
  const read = readArguments(args);
  if (!('options' in read)) throw new Error(JSON.stringify(read));
  return read.options;
}

describe('arguments', () => {
  it('mean everything, three times, when there are none', () => {
    const options = optionsOf();
    expect(options.cases).toEqual(CASES);
    expect(options).toMatchObject({
      variants: ['control-loop', 'ceiling', 'bento', 'backflow'],
      runs: 3,
      form: 'terminal',
    });
  });

  it('take lists, exact names first, and names by their beginning', () => {
    const names = (text: string) => optionsOf(`--case=${text}`).cases.map(({ name }) => name);
    expect(names('postgres-200')).toEqual(['postgres-200']);
    expect(names('targets-12')).toEqual(['targets-12-1', 'targets-12-2', 'targets-12-4']);
    expect(names('idle,mariadb-wide')).toEqual(['idle', 'mariadb-wide']);
    expect(optionsOf('--variant=backflow,ceiling').variants).toEqual(['ceiling', 'backflow']);
  });

  it('make cases smaller, but not so small that a table gets no change', () => {
    const events = (...args: string[]) => optionsOf(...args).cases.map(({ workload }) => workload.events);
    expect(events('--case=postgres-200,postgres-20000,targets-12-2', '--scale=0.1')).toEqual([12_000, 20_000, 2_400]);
    expect(optionsOf('--case=light-load', '--scale=0.01').cases).toMatchObject([
      { workload: { events: 100 }, warmUp: 20 },
    ]);
  });

  it('choose the form and a folder for profiles', () => {
    expect(optionsOf('--json', '--runs=1', '--cpu-prof=prof')).toMatchObject({
      form: 'json',
      runs: 1,
      profileFolder: 'prof',
    });
    expect(optionsOf('--markdown').form).toBe('markdown');
  });

  it.each([
    [['--case=postgres'], undefined],
    [['--case=oracle'], 'there is no case oracle'],
    [['--case=postgres-2'], 'there is no case postgres-2'],
    [['--variant=kafka'], 'there is no variant kafka'],
    [['--runs=0'], '--runs=0 is no whole number above 0'],
    [['--scale=0'], '--scale=0 is no number above 0 and up to 1'],
    [['--scale=all'], '--scale=all is no number above 0 and up to 1'],
    [['--runs=x'], '--runs=x is no whole number above 0'],
  ])('%s are refused with %s', (args, problem) => {
    const read = readArguments(args);
    expect('problem' in read ? read.problem : undefined).toBe(problem);
  });

  it('refuse what is unknown', () => {
    expect(readArguments(['--fast'])).toHaveProperty('problem');
    expect(readArguments(['--help'])).toEqual({ help: true });
  });
});

describe('needs of a source', () => {
  it('are those of the largest case for each database', () => {
    const tables = needsOf('postgres', CASES).tables;
    expect(tables).toHaveLength(12);
    expect(tables[0]).toBe(20_000);
    expect(new Set(tables.slice(1))).toEqual(new Set([200]));
    expect(needsOf('mariadb-wide', CASES)).toMatchObject({ columns: 500 });
  });
});
