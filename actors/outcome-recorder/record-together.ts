import type { LanePorts, RecordAnswer } from '../lane/lane-ports.ts';
import { type Round, recordRound } from './record-round.ts';

/** What came of storing a round. `answer` absent: it was given up for now, after so many `tries`. */
export interface RecordedRound {
  readonly round: Round;
  readonly tries: number;
  readonly answer?: RecordAnswer;
}

/**
 * Stores rounds beside the turns of an actor, and tells it together what became of those that ended at the same time: the
 * confirmations of many outcomes arrive in one piece.
 */
export function recordTogether(
  ports: LanePorts,
  tell: (ended: readonly RecordedRound[]) => void,
): (round: Round, tries: number) => void {
  let ended: RecordedRound[] = [];
  const note = (one: RecordedRound): void => {
    ended.push(one);
    if (ended.length > 1) return;
    queueMicrotask(() => {
      const all = ended;
      ended = [];
      tell(all);
    });
  };
  return (round, tries) => {
    recordRound(round, ports).then(
      (answer) => note({ round, tries, answer }),
      () => note({ round, tries: tries + 1 }),
    );
  };
}
