import { parse } from 'yaml';
import { createConfigStore } from '../../../streams/nats/config-store.ts';
import { exportConfig } from '../../config/export.ts';
import { documentInForce } from '../../service/configuration.ts';
import type { CommandCall } from '../command.ts';
import { NO_CONFIG } from '../config-in-force.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';

/** `backflow export`: the configuration in force as YAML on standard output. */
export async function exportInForce({ output }: CommandCall): Promise<ExitCode> {
  const current = await withNats('read', (link) => documentInForce(createConfigStore(link)));
  if (current === undefined) throw NO_CONFIG();
  const yaml = exportConfig(current.document);
  output.answer({ revision: current.revision, document: parse(yaml) }, () => yaml.trimEnd());
  return EXIT.ok;
}
