import type { OwnerRules } from '../config/compiled.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { OwnerReference } from '../domain/snapshot.ts';

/** Why no owner can be written. */
export interface OwnerProblem {
  readonly reason: string;
}

/**
 * The principal of the source system that the owners stand for; undefined: the catalogue has no owner any more.
 * Only the map decides: an owner that it does not name is never guessed. Owners taken over from a parent entity are not
 * this entity's own and are passed over.
 */
export function principalOf(
  owners: readonly OwnerReference[],
  rules: OwnerRules,
): Result<string | undefined, OwnerProblem> {
  if (owners.length === 0) return ok(undefined);
  const own = owners.filter((owner) => !owner.inherited);
  if (own.length === 0)
    return err({ reason: 'the owners are inherited from a parent entity; none is set on this one' });
  const eligible = rules.team === 'skip' ? own.filter((owner) => owner.type !== 'team') : own;
  if (eligible.length === 0) {
    return err({
      reason: `only teams own it (${names(own)}), and owners.team is "skip"; set it to "role" and map the team`,
    });
  }
  if (eligible.length > 1 && rules.multiple === 'skip') {
    return err({ reason: `several own it (${names(eligible)}), and owners.multiple is "skip"` });
  }
  for (const owner of eligible) {
    const principal = rules.map.get(owner.name);
    if (principal !== undefined) return ok(principal);
  }
  return err({ reason: `no principal is mapped for ${names(eligible)}; add the name to owners.map` });
}

function names(owners: readonly OwnerReference[]): string {
  return owners.map((owner) => owner.name).join(', ');
}
