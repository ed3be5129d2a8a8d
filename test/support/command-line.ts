import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** Options of a long run as they were typed. Prints `help` when asked for it, and with whatever cannot be read; ends the process then. */
export function readCommandLine<const T extends ParseArgsOptionsConfig>(help: string, options: T) {
  if (process.argv.includes('--help')) {
    process.stdout.write(`${help}\n`);
    process.exit(0);
  }
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return end(`${error instanceof Error ? error.message : 'The options cannot be read.'}\n\n${help}`);
  }
}

/** A number from 0 on; anything else ends the process with a message. */
export function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(number) && number >= 0) return number;
  return end(`--${name} has to be a whole number, not ${JSON.stringify(text)}`);
}

function end(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
