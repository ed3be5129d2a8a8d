import { type Content, SENSITIVE, TEXT_PARTS, type TextPart } from './catalogue-content.ts';

/**
 * What the history of edits says about one part at rest.
 * `sure`: the source has to hold the catalogue's value. `doubtful`: it has to, unless a recorded outcome says that the decision was
 * made in doubt (a clear, an undo whose true time no event tells). `loose`: nothing is promised (the last word was that of an ignored
 * user, the entity was deleted, nothing is unset on appearing).
 */
export type Certainty = 'sure' | 'doubtful' | 'loose';

export interface Told {
  readonly eventId: string;
  readonly byBot: boolean;
}

/** A part whose end can be told: a text, the owner, or one key of the tags (`tag PII`). */
export type KnownPart = TextPart | 'owner' | `tag ${string}`;

interface Known {
  readonly certainty: Certainty;
  /** The event that had the last word. */
  readonly eventId: string;
}

export const keyOfTag = (tag: string): string => tag.slice(0, tag.indexOf('.'));
export const valueOfTag = (tag: string): string => tag.slice(tag.indexOf('.') + 1);

/**
 * What a lane can know, from the promises of the design (§2.2) and the history of edits, and from nothing else. `filtered`: tags and
 * owners belong to a channel that asks for a label (`SENSITIVE`); entering its filter brings everything that stands there, and what
 * happens outside is not its business.
 */
export class Knowledge {
  readonly #parts = new Map<KnownPart, Known>();
  /** Texts that some event of a person has told, so that a later one that comes in silence is noticed. */
  readonly #told = new Set<TextPart>();
  /** Texts that changed in silence and that no event has shown yet. */
  readonly #unseen = new Set<TextPart>();
  readonly #silent = new Set<KnownPart>();
  readonly #filtered: boolean;
  /**
   * Undos whose time no event tells. One whose partner comes too late (its replica was frozen with it) is placed by a guess, below or
   * above what followed; its own outcome says that it was decided in doubt.
   */
  readonly #guesses: string[] = [];

  constructor(filtered: boolean) {
    this.#filtered = filtered;
  }

  of(part: KnownPart): Certainty {
    return this.#parts.get(part)?.certainty ?? 'loose';
  }

  lastWord(part: KnownPart): string {
    return this.#parts.get(part)?.eventId ?? '';
  }

  /** Its value came in silence, and some later event has shown it. */
  cameSilently(part: KnownPart): boolean {
    return this.#silent.has(part);
  }

  get guesses(): readonly string[] {
    return this.#guesses;
  }

  parts(): Iterable<KnownPart> {
    return this.#parts.keys();
  }

  /** An edit of some parts. `timeKnown`: its event tells when it was made (an undo carries an old time). */
  edited(before: Content, after: Content, by: Told & { readonly timeKnown: boolean }): void {
    this.shown();
    if (!by.timeKnown) this.#guesses.push(by.eventId);
    const firm: Certainty = by.byBot ? 'loose' : by.timeKnown && this.#guesses.length === 0 ? 'sure' : 'doubtful';
    for (const part of TEXT_PARTS) {
      if (before[part] === after[part]) continue;
      if (by.byBot) this.#told.delete(part);
      else this.#told.add(part);
      this.#unseen.delete(part);
      this.#set(part, by, after[part] === undefined ? weaker(firm, 'doubtful') : firm);
    }
    const was = this.#isIn(before);
    const is = this.#isIn(after);
    if (this.#filtered && was !== is) {
      if (is) this.#entered(before, after, by, firm);
      else this.#left(after, by, firm);
      return;
    }
    const shown = is ? firm : 'loose';
    // Everything has an owner in the source: one that is taken away stays.
    if (before.owner !== after.owner) this.#set('owner', by, after.owner === undefined ? 'loose' : shown);
    if (changed(before.tags, after.tags)) this.#tagsEdited(before, after, by, shown);
  }

  silent(part: TextPart): void {
    this.#set(part, { eventId: this.lastWord(part) }, 'loose');
    if (this.#told.has(part)) this.#unseen.add(part);
  }

  /** An event has carried the entity as it is: what came in silence is known from now on. */
  shown(): void {
    // Unless the change that told of it last came after this one, and was decided in doubt.
    for (const part of this.#unseen) {
      this.#set(part, { eventId: this.lastWord(part) }, 'doubtful');
      this.#silent.add(part);
    }
    this.#unseen.clear();
  }

  /** Deleted: the source is left as it is, with whatever was pending or not. */
  removed(): void {
    for (const part of this.#parts.keys()) this.#set(part, { eventId: '' }, 'loose');
    this.#told.clear();
    this.#unseen.clear();
  }

  /** Created or restored: everything that it carries is written, and nothing is unset. */
  appeared(content: Content, by: Told): void {
    const firm: Certainty = by.byBot ? 'loose' : 'sure';
    for (const part of TEXT_PARTS) {
      // That it was empty is noted only where no newer state was seen before.
      if (!by.byBot && content[part] !== undefined) this.#told.add(part);
      this.#set(part, by, content[part] === undefined ? 'loose' : firm);
    }
    const shown = this.#isIn(content) ? firm : 'loose';
    this.#set('owner', by, content.owner === undefined ? 'loose' : shown);
    this.#looseTags(by);
    for (const tag of content.tags) this.#set(`tag ${keyOfTag(tag)}`, by, shown);
  }

  #isIn({ tags }: Content): boolean {
    return !this.#filtered || tags.includes(SENSITIVE);
  }

  #tagsEdited(before: Content, after: Content, by: Told, shown: Certainty): void {
    // An ignored change of the field takes the place of an earlier one that was still pending, whatever label that was about.
    if (shown === 'loose') {
      this.#looseTags(by, [...before.tags, ...after.tags]);
      return;
    }
    const present = new Set(after.tags.map(keyOfTag));
    for (const tag of after.tags) this.#set(`tag ${keyOfTag(tag)}`, by, shown);
    for (const key of before.tags.map(keyOfTag))
      if (!present.has(key)) this.#set(`tag ${key}`, by, weaker(shown, 'doubtful'));
  }

  #entered(before: Content, after: Content, by: Told, firm: Certainty): void {
    this.#set('owner', by, after.owner === undefined ? 'loose' : firm);
    this.#looseTags(by, before.tags);
    for (const tag of after.tags) this.#set(`tag ${keyOfTag(tag)}`, by, firm);
  }

  /** Only what the change took away is taken away: the label that the filter asks for. */
  #left(after: Content, by: Told, firm: Certainty): void {
    this.#set('owner', by, 'loose');
    this.#looseTags(by, after.tags);
    const key = keyOfTag(SENSITIVE);
    const replaced = after.tags.some((tag) => keyOfTag(tag) === key);
    this.#set(`tag ${key}`, by, replaced ? 'loose' : weaker(firm, 'doubtful'));
  }

  #looseTags(by: Pick<Told, 'eventId'>, more: readonly string[] = []): void {
    for (const part of this.#parts.keys()) if (part.startsWith('tag ')) this.#set(part, by, 'loose');
    for (const tag of more) this.#set(`tag ${keyOfTag(tag)}`, by, 'loose');
  }

  #set(part: KnownPart, { eventId }: Pick<Told, 'eventId'>, certainty: Certainty): void {
    this.#silent.delete(part);
    this.#parts.set(part, { certainty, eventId });
  }
}

const ORDER: readonly Certainty[] = ['loose', 'doubtful', 'sure'];

function weaker(a: Certainty, b: Certainty): Certainty {
  return ORDER.indexOf(a) < ORDER.indexOf(b) ? a : b;
}

function changed(before: readonly string[], after: readonly string[]): boolean {
  return before.length !== after.length || before.some((tag) => !after.includes(tag));
}
