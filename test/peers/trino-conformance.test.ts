import { describe, it } from 'vitest';
import { conformanceSuite } from '../../connectors/conformance/conformance-suite.ts';
import { trinoConnector } from '../../connectors/trino/connector.ts';
import { startRealTrinoHarness } from '../support/trino-real-harness.ts';
import { obtainTrino, startRealTrino } from '../support/trino-real-server.ts';

const programs = await obtainTrino();

if ('missing' in programs) {
  process.stderr.write(`\n!! The real Trino is skipped: ${programs.missing}\n\n`);
  describe.skip(`conformance: Trino 476 (${programs.missing})`, () => {
    it('needs a real server', () => {});
  });
} else {
  conformanceSuite(
    'Trino 476',
    trinoConnector,
    async () => {
      const trino = await startRealTrino(programs);
      const running = await startRealTrinoHarness(trino);
      return {
        harness: running.harness,
        async stop() {
          await running.stop();
          await trino.stop();
        },
      };
    },
    600_000,
  );
}
