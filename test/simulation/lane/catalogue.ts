import { BOT, type Content, type Emitted, type TextPart } from './catalogue-content.ts';
import { changesBetween, entityJson, eventJson, type FieldDiff, voteDiff } from './catalogue-events.ts';
import { Knowledge } from './knowledge.ts';

interface Version {
  readonly number: number;
  readonly updatedAt: number;
  readonly updatedBy: string;
  readonly content: Content;
  /** Something came in silence: whoever takes this version back would meet a content that no event has told. */
  readonly silent: boolean;
}

/** Edits of one user within this time share a version. */
const SESSION_MS = 600_000;
/** The tables are so much older than the first edit. */
const OLD_MS = 60_000;
const NOTHING: Content = { tags: [] };

/**
 * One table as OpenMetadata 1.12 was seen to keep it: further edits of one person share
 * a version; an edit that gives back what the version before held returns to that version's number, time, editor and snapshot; votes
 * carry neither tags nor owners; `changeSummary` tells the true time of texts and owners that were set, and of nothing else. Beside
 * it stands what a lane can know of each part (`knowledge`), from the history alone.
 */
export class CatalogueTable {
  readonly name: string;
  readonly knowledge: Knowledge;
  #versions: Version[];
  readonly #changedAt = new Map<string, number>();
  readonly #nextId: () => string;
  #life = 1;
  #state: 'there' | 'deleted' | 'gone' = 'there';

  /** It stood there before `start`, empty. */
  constructor(name: string, nextId: () => string, { start, filtered }: { start: number; filtered: boolean }) {
    this.name = name;
    const updatedAt = start - OLD_MS;
    this.#versions = [{ number: 0.1, updatedAt, updatedBy: 'admin', content: NOTHING, silent: false }];
    this.#nextId = nextId;
    this.knowledge = new Knowledge(filtered);
  }

  get content(): Content {
    return this.#current.content;
  }

  get state(): 'there' | 'deleted' | 'gone' {
    return this.#state;
  }

  /** The entity as the catalogue answers for it; undefined once it is gone for good. */
  read(): Readonly<Record<string, unknown>> | undefined {
    return this.#state === 'gone' ? undefined : this.#entity(true);
  }

  /** One edit; undefined when it changes nothing. */
  edit(user: string, now: number, content: Content): Emitted | undefined {
    const current = this.#current;
    const diff = changesBetween(current.content, content);
    if (diff.length === 0) return undefined;
    const before = this.#versions.at(-2);
    const inSession = current.updatedBy === user && now - current.updatedAt <= SESSION_MS && before !== undefined;
    for (const { name, newValue } of diff)
      if (newValue !== undefined && name !== 'tags') this.#changedAt.set(name, now);
    const isUndo = inSession && !current.silent && changesBetween(before.content, content).length === 0;
    let time = now;
    if (isUndo) {
      this.#versions.pop();
      time = before.updatedAt;
    } else if (inSession) this.#versions.splice(-1, 1, { ...current, updatedAt: now, content });
    else {
      const number = Math.round(current.number * 10 + 1) / 10;
      this.#versions.push({ number, updatedAt: now, updatedBy: user, content, silent: false });
    }
    const told = diff.some(({ name, newValue }) => newValue !== undefined && name !== 'tags');
    const emitted = this.#emit('entityUpdated', user, time, current.number, diff, true);
    this.knowledge.edited(current.content, content, {
      eventId: emitted.eventId,
      byBot: user === BOT,
      timeKnown: !isUndo || told,
    });
    return emitted;
  }

  /** A description that changes without any event of its own (an accepted suggestion). */
  silently(part: TextPart, text: string): void {
    const current = this.#current;
    const content = { ...current.content, [part]: text };
    this.#versions.splice(-1, 1, { ...current, content, silent: true });
    this.knowledge.silent(part);
  }

  vote(user: string, now: number): Emitted {
    this.knowledge.shown();
    return this.#emit('entityUpdated', user, now, this.#current.number, voteDiff(), false);
  }

  /** Softly: it can be restored. A hard deletion carries the time of the last edit. */
  remove(user: string, now: number, hard: boolean): Emitted {
    const current = this.#current;
    this.knowledge.removed();
    if (hard) {
      const emitted = this.#emit('entityDeleted', user, current.updatedAt, undefined, undefined, true);
      this.#state = 'gone';
      return emitted;
    }
    this.#state = 'deleted';
    this.#next(user, now, current.content);
    return this.#emit('entitySoftDeleted', user, now, current.number, [deletedDiff(true)], true);
  }

  restore(user: string, now: number): Emitted {
    const current = this.#current;
    this.#state = 'there';
    this.#next(user, now, current.content);
    const emitted = this.#emit('entityRestored', user, now, current.number, [deletedDiff(false)], true);
    this.knowledge.appeared(current.content, { eventId: emitted.eventId, byBot: user === BOT });
    return emitted;
  }

  /** The same name again, as another entity. */
  create(user: string, now: number, content: Content): Emitted {
    this.#state = 'there';
    this.#life += 1;
    this.#changedAt.clear();
    this.#versions = [{ number: 0.1, updatedAt: now, updatedBy: user, content, silent: false }];
    const emitted = this.#emit('entityCreated', user, now, undefined, undefined, true);
    this.knowledge.appeared(content, { eventId: emitted.eventId, byBot: user === BOT });
    return emitted;
  }

  get #current(): Version {
    const current = this.#versions.at(-1);
    if (current === undefined) throw new Error('a table has at least one version');
    return current;
  }

  #next(user: string, now: number, content: Content): void {
    const number = Math.round(this.#current.number * 10 + 1) / 10;
    this.#versions.push({ number, updatedAt: now, updatedBy: user, content, silent: true });
  }

  #entity(whole: boolean): Readonly<Record<string, unknown>> {
    const { number, updatedAt, updatedBy, content } = this.#current;
    const deleted = this.#state === 'deleted';
    return entityJson(this.name, this.#entityId, content, { version: number, updatedAt, updatedBy, deleted, whole });
  }

  get #entityId(): string {
    return `id-${this.name}-${this.#life}`;
  }

  #emit(
    eventType: string,
    userName: string,
    timestamp: number,
    previousVersion: number | undefined,
    diff: readonly FieldDiff[] | undefined,
    whole: boolean,
  ): Emitted {
    const eventId = this.#nextId();
    return eventJson({
      eventId,
      eventType,
      table: this.name,
      entityId: this.#entityId,
      userName,
      timestamp,
      version: this.#current.number,
      previousVersion,
      diff,
      changedAt: this.#changedAt,
      entity: this.#entity(whole),
      content: this.content,
    });
  }
}

function deletedDiff(to: boolean): FieldDiff {
  return { kind: 'updated', name: 'deleted', oldValue: !to, newValue: to };
}
