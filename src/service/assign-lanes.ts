import { createHash } from 'node:crypto';

/** A lane as the assignment sees it: its name, and whose partitions belong together. */
export interface AssignableLane {
  readonly lane: string;
  readonly target: string;
}

/**
 * Which replica every lane prefers: rendezvous hashing with bounded load. Every pair of lane and replica has a weight that depends on
 * nothing else; the heaviest pairs win, as long as the replica has less than its share of all lanes, ⌈lanes / replicas⌉, and less than
 * its share of the lanes of one target.
 *
 * A function of the two sets alone: replicas that know the same members agree without talking. Without the bound only lanes of the
 * replica that comes or goes would move, but 12 lanes would lie on two replicas as 8 and 4 one time in four. With it no replica has
 * more than its share, and for 12 lanes on average one more lane moves than has to.
 */
export function assignLanes(lanes: readonly AssignableLane[], members: readonly string[]): ReadonlyMap<string, string> {
  const assigned = new Map<string, string>();
  if (members.length === 0) return assigned;
  const share = Math.ceil(lanes.length / members.length);
  const ofTarget = new Map<string, number>();
  for (const { target } of lanes) ofTarget.set(target, (ofTarget.get(target) ?? 0) + 1);
  const load = new Map<string, number>();
  const loadOfTarget = new Map<string, number>();

  const pairs = lanes.flatMap(({ lane, target }) =>
    members.map((member) => ({ lane, target, member, weight: weightOf(lane, member) })),
  );
  // Those with a second bound choose first; the others fit in anywhere.
  const bound = ({ target }: AssignableLane): number => (ofTarget.get(target) === 1 ? 1 : 0);
  pairs.sort((a, b) => bound(a) - bound(b) || (a.weight === b.weight ? 0 : a.weight < b.weight ? 1 : -1));
  // What the bound for each target leaves over goes wherever there is room.
  for (const spread of [true, false]) {
    for (const { lane, target, member } of pairs) {
      const held = load.get(member) ?? 0;
      if (assigned.has(lane) || held >= share) continue;
      const group = JSON.stringify([member, target]);
      const heldOfTarget = loadOfTarget.get(group) ?? 0;
      if (spread && heldOfTarget >= Math.ceil((ofTarget.get(target) ?? 0) / members.length)) continue;
      assigned.set(lane, member);
      load.set(member, held + 1);
      loadOfTarget.set(group, heldOfTarget + 1);
    }
  }
  return assigned;
}

/** How many of the last answers are remembered: those with and without the newest member, before and after a change. */
const REMEMBERED = 4;

/** The same function for someone who asks about the same few sets again and again. */
export function rememberAssignments(): typeof assignLanes {
  let known: readonly { readonly key: string; readonly assigned: ReadonlyMap<string, string> }[] = [];
  return (lanes, members) => {
    const key = JSON.stringify([members.toSorted(), lanes.map(({ lane }) => lane).toSorted()]);
    const found = known.find((one) => one.key === key);
    if (found !== undefined) return found.assigned;
    const assigned = assignLanes(lanes, members);
    known = [{ key, assigned }, ...known.slice(0, REMEMBERED - 1)];
    return assigned;
  };
}

/** Hexadecimal, of one length: compares as text. */
function weightOf(lane: string, member: string): string {
  return createHash('sha256')
    .update(JSON.stringify([lane, member]))
    .digest('hex');
}
