import { parseArgs } from 'node:util';

/** What a soak run does; every number can be given on the command line. */
export interface SoakOptions {
  /** How long the steady phase lasts. */
  readonly minutes: number;
  /** Changes a second of the steady phase. */
  readonly rate: number;
  /** Distinct assets of the second phase, one change each. */
  readonly assets: number;
  /** Changes that wait when the service starts in the third phase. */
  readonly backlog: number;
  /** Resident memory that the service may never exceed, MiB. */
  readonly memory: number;
  readonly json: boolean;
}

/** Shown for `--help`, and with what cannot be read. */
export const HELP = `npm run soak -- [--minutes=60] [--rate=1000] [--assets=1000000] [--backlog=1000000] [--memory=512] [--json]

One process of the service, in three phases: so many minutes at so many changes a second over a target that fails again and again; one
change for each of so many assets; so many changes that wait before it starts. --memory: MiB that it may never exceed.`;

/** The wrong use of the command, in words for whoever typed it. */
export class WrongOption extends Error {}

/** Reads the command line. Errors: `WrongOption` for an unknown option or a number that is none. */
export function readSoakOptions(args: readonly string[]): SoakOptions {
  const { values } = parse(args);
  return {
    minutes: number('minutes', values.minutes),
    rate: whole('rate', values.rate),
    assets: whole('assets', values.assets),
    backlog: whole('backlog', values.backlog),
    memory: whole('memory', values.memory),
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string', default: '60' },
        rate: { type: 'string', default: '1000' },
        assets: { type: 'string', default: '1000000' },
        backlog: { type: 'string', default: '1000000' },
        memory: { type: 'string', default: '512' },
        json: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new WrongOption(error instanceof Error ? error.message : 'the options cannot be read');
  }
}

function number(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new WrongOption(`--${name} has to be a number above 0, not ${JSON.stringify(text)}`);
}

function whole(name: string, text: string): number {
  const value = number(name, text);
  if (Number.isSafeInteger(value)) return value;
  throw new WrongOption(`--${name} has to be a whole number, not ${JSON.stringify(text)}`);
}
