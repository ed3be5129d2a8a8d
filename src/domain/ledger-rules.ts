/**
 * The rules by which a ledger orders and reads changes. There is one correct setting, the default; the others exist so that
 * tests can show that each rule is needed.
 */
export interface LedgerRules {
  /** `arrival`: the sequence in the stream replaces the rank. */
  readonly order: 'rank' | 'arrival';
  /** `off`: an undo ranks by the timestamp that it carries, as if it were an ordinary edit. */
  readonly undo: 'on' | 'off';
  /** `last-segment`: the text after the last dot of a diff's path names the column. */
  readonly columns: 'candidates' | 'last-segment';
  /** `trusted`: a snapshot without tags says that there are none. */
  readonly emptyTags: 'unknown' | 'trusted';
}

export const CORRECT_RULES: LedgerRules = { order: 'rank', undo: 'on', columns: 'candidates', emptyTags: 'unknown' };
