import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { ChangeEvent } from '../../src/domain/change-event.ts';

/** The user of a change whose changes are not written back; undefined when it is somebody else's. */
export function ignoredUser(
  event: Pick<ChangeEvent, 'userName' | 'impersonatedBy'> | undefined,
  config: Pick<CompiledConfig, 'ignoreUsers'>,
): string | undefined {
  for (const user of [event?.userName, event?.impersonatedBy])
    if (user !== undefined && config.ignoreUsers.has(user)) return user;
  return undefined;
}
