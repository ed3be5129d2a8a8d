import type { Aspect } from '../../src/domain/entity.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import type { Connector } from '../contract.ts';

/** An object that exists in the source and may be written to by the kit. */
export interface WritableObject {
  readonly ref: ObjectRef;
  /** The source's own word for it, as in the ability matrix. */
  readonly kind: string;
  /** What can be written on this one, where that is not all that its kind can (absent). */
  readonly aspects?: readonly Aspect[];
}

/** Something that is not there, and what is missing of it (`a column`, `a schema`), for the messages of the kit. */
export interface MissingObject {
  readonly ref: ObjectRef;
  readonly what: string;
}

/**
 * Everything that can be written in the system, as seen over a connection of the harness's own (never the connector's):
 * comments, tags, owners and the definitions of objects. Key → value; what has no comment has no key or an empty value.
 */
export type Dump = ReadonlyMap<string, string>;

/**
 * What the kit needs to know about a running system to put a connector through its checks.
 * Objects are the kit's own: it writes to them in any order and leaves values behind.
 */
export interface ConformanceHarness {
  readonly connector: Connector;
  /** Connection JSON that works, in OpenMetadata's form. */
  readonly connection: unknown;
  /** The same with a credential that the system refuses. */
  readonly wrongCredentials: unknown;
  /** The same with an address where nothing listens. */
  readonly unreachable: unknown;
  /** Passwords and tokens of all of these; none may show in any error. */
  readonly secrets: readonly string[];

  /** At least two tables with two columns each, and one object of each kind of each ability. */
  readonly objects: readonly WritableObject[];
  /** Existing objects whose names hold quotes, blanks, dots, backslashes, newlines, emoji: as wild as the system lets them be. */
  readonly hostileObjects: readonly WritableObject[];
  readonly missing: readonly MissingObject[];

  /** Two principals that objects may be given to, and one that does not exist. Needed when owners can be written. */
  readonly principals?: { readonly first: string; readonly second: string; readonly missing: string };
  /** An object that the connector's user may see but not write to, where the system has such a thing. */
  readonly forbidden?: WritableObject;

  /** Whether the system tells nobody this aspect of the object (Trino's owners of tables): then the dump alone is the proof. */
  readonly unreadable?: (ref: ObjectRef, aspect: Aspect) => boolean;

  /** What the system makes of a text that it stores (`text` itself when absent). Empty: none. */
  readonly stored?: (text: string) => string;

  dump(): Promise<Dump>;
  /**
   * The keys of the dump that a write of this aspect of this object may change. For descriptions and owners the first key's value is
   * the text or the principal itself (no key or `''`: none), for tags it is the sorted `key=value` pairs, one per line.
   */
  dumpKeys(ref: ObjectRef, aspect: Aspect): readonly string[];
  /**
   * The writing statements (or API calls) that the system itself saw since the last call, oldest first: its query log, a proxy or a fake's journal.
   * Session and transaction control is left out, and so is the trailing trace comment.
   */
  executed(): Promise<readonly string[]>;
  /** Breaks all connections that the connector holds at this moment, as a network fault does. */
  breakConnections(): Promise<void>;
  /** Makes writes to this object wait (a lock, a delay) until the returned function is called; undefined: the system has no way. */
  hold?(ref: ObjectRef): Promise<() => Promise<void>>;

  /**
   * Statements as a channel's template would render them, which give this object this description; absent: the connector takes no templates.
   * Every statement must be seen in `executed`.
   */
  templateFor?(ref: ObjectRef, text: string): readonly string[];
}

/** A running harness and how to end it. */
export interface RunningHarness {
  readonly harness: ConformanceHarness;
  stop(): Promise<void>;
}

/** One thing that a connector did and should not have done, or the other way round. */
export interface Problem {
  readonly check: string;
  /** The object or case that it was found on. */
  readonly where: string;
  readonly message: string;
}
