import { ensureProgram, MARIADB_SERVER, NATS_SERVER } from '../../src/demo/ensure-program.ts';

/** Installs the servers that the tests start, where that is allowed (root on Debian); else says what is missing and how to get it. */
export default async function setup(): Promise<void> {
  for (const need of [NATS_SERVER, MARIADB_SERVER]) {
    const state = await ensureProgram(need, (line) => process.stderr.write(`${line}\n`));
    if (state.kind === 'missing') {
      process.stderr.write(
        `\n!! ${state.name} is missing (${state.reason}); tests that need it will fail. Install it with: ${state.command}\n\n`,
      );
    }
  }
}
