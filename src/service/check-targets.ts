import { from, lastValueFrom, mergeMap, toArray } from 'rxjs';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { CheckReport, Connection } from '../../connectors/contract.ts';
import { connectorFor } from '../../connectors/registry.ts';
import type { TargetConfig } from '../config/compiled.ts';
import { resolveConnection } from '../config/resolve-connection.ts';
import type { SecretSources } from '../config/resolve-secrets.ts';
import { BackflowError } from '../domain/failure.ts';

/** What `check` found out about one target. */
export interface TargetCheck {
  readonly target: string;
  readonly connector: string;
  readonly ok: boolean;
  /** False: nothing could be asked at all; `error` says why. */
  readonly connected: boolean;
  readonly server?: string;
  readonly user?: string;
  readonly findings: CheckReport['findings'];
  readonly error?: string;
}

/** Targets that are connected to at once. */
const AT_ONCE = 8;

/** Connects to each target as its lane would, and asks the connector what is missing. Never rejects for one target. */
export async function checkTargets(
  targets: readonly TargetConfig[],
  secrets: SecretSources,
): Promise<readonly TargetCheck[]> {
  const checks = await lastValueFrom(
    from(targets).pipe(
      mergeMap((target) => checkTarget(target, secrets), AT_ONCE),
      toArray(),
    ),
  );
  return checks.toSorted((a, b) => (a.target < b.target ? -1 : 1));
}

async function checkTarget(target: TargetConfig, secrets: SecretSources): Promise<TargetCheck> {
  const base = { target: target.service, connector: target.connector };
  const connector = connectorFor(target.connector);
  if (connector === undefined) return failed(base, `there is no connector ${target.connector} in this version`);
  let connection: Connection | undefined;
  try {
    const config = resolveConnection(connector.spec, target.connection, secrets);
    connection = await connector.open(config, { lane: `${target.service} check`, epoch: 0 });
    const report = await connection.check([]);
    return { ...base, ...report, connected: true };
  } catch (error) {
    // Expected errors hold no secret; others are not shown, since nobody knows what they hold.
    if (error instanceof ConnectorError) return failed(base, `${error.message} (${error.code})`);
    return failed(base, error instanceof BackflowError ? error.message : 'the check failed for an unexpected reason');
  } finally {
    await connection?.close().catch(() => undefined);
  }
}

function failed(base: Pick<TargetCheck, 'target' | 'connector'>, error: string): TargetCheck {
  return { ...base, ok: false, connected: false, findings: [], error };
}
