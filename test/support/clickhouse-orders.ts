/** An account of the test server. Its role has the privileges; `admin`'s statements are not put into the journal. */
export interface ClickhouseAccount {
  readonly user: string;
  readonly password: string;
  readonly role: string;
}

export interface StartOrder {
  readonly id: number;
  readonly data: string;
  readonly config: string;
  readonly accounts: readonly ClickhouseAccount[];
  /** Name of the cluster that consists of this server alone. */
  readonly cluster: string;
}

/** What the process of the test server can be told to do; each is answered with its id. */
export type Order =
  | { readonly id: number; readonly kind: 'journal' | 'break' | 'stop' }
  /** Statements that hold this text wait until it is released. */
  | { readonly id: number; readonly kind: 'hold' | 'release'; readonly text: string };
