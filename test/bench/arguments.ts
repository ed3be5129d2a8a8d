import { parseArgs } from 'node:util';
import type { BenchCase, VariantName } from './case.ts';
import { CASES, casesNamed, scaled } from './cases.ts';

export interface BenchOptions {
  readonly cases: readonly BenchCase[];
  readonly variants: readonly VariantName[];
  readonly runs: number;
  readonly form: 'terminal' | 'markdown' | 'json';
  /** Where Backflow's processes leave their CPU profiles. */
  readonly profileFolder?: string;
}

const VARIANTS: readonly VariantName[] = ['control-loop', 'ceiling', 'bento', 'backflow'];

/** Shown for `--help`. */
export const HELP = `npm run bench -- [--case=a,b] [--variant=a,b] [--runs=3] [--json | --markdown] [--cpu-prof=folder] [--scale=1]

--scale=0.05 takes a twentieth of the changes: for a look whether everything runs, not for numbers.

cases:    ${CASES.map(({ name }) => name).join(', ')}
          (targets-12 stands for all that begin so)
variants: ${VARIANTS.join(', ')}`;

/** Reads the command line; `help` or a message for a person when there is nothing to run. */
export function readArguments(
  args: readonly string[],
): { readonly options: BenchOptions } | { readonly help: true } | { readonly problem: string } {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'unreadable arguments' };
  }
  if (values.help === true) return { help: true };
  const found = casesNamed(list(values.case));
  if ('unknown' in found) return { problem: `there is no case ${found.unknown}` };
  const asked = list(values.variant);
  const strange = asked.find((name) => !VARIANTS.some((variant) => variant === name));
  if (strange !== undefined) return { problem: `there is no variant ${strange}` };
  const runs = Number(values.runs);
  if (!Number.isInteger(runs) || runs < 1) return { problem: `--runs=${values.runs} is no whole number above 0` };
  const scale = Number(values.scale);
  if (!(scale > 0 && scale <= 1)) return { problem: `--scale=${values.scale} is no number above 0 and up to 1` };
  const profileFolder = values['cpu-prof'];
  return {
    options: {
      cases: found.cases.map((one) => scaled(one, scale)),
      variants: VARIANTS.filter((name) => asked.length === 0 || asked.includes(name)),
      runs,
      form: values.json === true ? 'json' : values.markdown === true ? 'markdown' : 'terminal',
      ...(profileFolder === undefined ? {} : { profileFolder }),
    },
  };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      case: { type: 'string', default: '' },
      variant: { type: 'string', default: '' },
      runs: { type: 'string', default: '3' },
      scale: { type: 'string', default: '1' },
      json: { type: 'boolean' },
      markdown: { type: 'boolean' },
      'cpu-prof': { type: 'string' },
      help: { type: 'boolean' },
    },
  }).values;
}

const list = (text: string): readonly string[] => text.split(',').filter((name) => name !== '');
