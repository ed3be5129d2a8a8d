import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Half of a start is compiling: what was compiled once is kept beside the packages. Where that folder cannot be written nothing changes.
enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/backflow', import.meta.url)));
const { createProgram } = await import('./program.ts');

// Whoever reads our output may stop before its end (`backflow runs | head`); that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// One place ends the process: commands give their exit code, and what they left open does not hold it up.
process.exit(await createProgram(process.argv.slice(2)));
