import { stringify } from 'yaml';
import { redact } from './redact.ts';
import type { ConfigDocument } from './schema.ts';

/**
 * The configuration as a YAML file that `apply` takes back. References stay; should a stored revision hold a secret in the
 * clear, it is masked.
 */
export function exportConfig(document: ConfigDocument): string {
  const shown = {
    ...(document.targets === undefined
      ? {}
      : { targets: document.targets.map((target) => ({ ...target, connection: redact(target.connection) })) }),
    ...(document.channels === undefined ? {} : { channels: document.channels }),
    ...(document.owners === undefined ? {} : { owners: document.owners }),
    ...(document.ignoreUsers === undefined ? {} : { ignoreUsers: document.ignoreUsers }),
  };
  return stringify(shown, { lineWidth: 120, aliasDuplicateObjects: false, version: '1.2' });
}
