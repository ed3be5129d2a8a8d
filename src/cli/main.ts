import { createProgram } from './program.ts';

// One place ends the process: commands give their exit code, and what they left open does not hold it up.
process.exit(await createProgram(process.argv.slice(2)));
