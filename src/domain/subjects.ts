import { type Asset, type AssetKey, assetKey, slotOf } from './asset.ts';

/** Names of the streams and buckets; all state of the service lies in these. */
export const STREAMS = {
  /** Raw events of any publisher, `events.>`. */
  events: 'EVENTS',
  changes: 'CHANGES',
  outcomes: 'OUTCOMES',
  deadLetters: 'DEADLETTERS',
  /** What is too large for an outcome message: long values and the states of very wide assets. */
  objects: 'OBJECTS',
  /** Copies of changes whose asset has to wait, so that they take no credits meanwhile. */
  parked: 'PARKED',
} as const;

export const BUCKETS = { config: 'backflow-config', leases: 'backflow-leases', control: 'backflow-control' } as const;

/** A name as one subject token: letters, digits, `-` and `_` stay, every other UTF-8 byte becomes `=` and two hexadecimal digits. */
export function encodeToken(name: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(name)) return name;
  let token = '';
  for (const byte of Buffer.from(name, 'utf8')) {
    const char = String.fromCharCode(byte);
    token += /[A-Za-z0-9_-]/.test(char) ? char : `=${byte.toString(16).padStart(2, '0').toUpperCase()}`;
  }
  return token === '' ? '=' : token;
}

export function decodeToken(token: string): string {
  if (token === '=') return '';
  const bytes: number[] = [];
  for (let i = 0; i < token.length; i += 1) {
    if (token[i] === '=') {
      bytes.push(Number.parseInt(token.slice(i + 1, i + 3), 16));
      i += 2;
    } else {
      bytes.push(token.charCodeAt(i));
    }
  }
  return Buffer.from(bytes).toString('utf8');
}

/** `change.<service>.<slot>.<entityType>.<assetKey>` */
export function changeSubject(service: string, asset: Asset): string {
  const key = assetKey(asset);
  return `change.${encodeToken(service)}.${slotOf(key)}.${asset.entityType}.${key}`;
}

/** The slot that stands in a change's subject. */
export function slotOfChange(subject: string): number {
  return Number(subject.split('.')[2]);
}

/** The key of the asset that stands there; undefined where none does. */
export function keyOfChange(subject: string): AssetKey | undefined {
  return subject.split('.')[4];
}

/** What the lanes of a target read. */
export function changeFilter(service: string): string {
  return `change.${encodeToken(service)}.>`;
}

/**
 * `change.=part.<hash>`: below it lie the parts of an event that is too large for one message, in CHANGES so that they live as long as
 * the change itself. `=part` is the encoding of no name, so no lane's filter fits it.
 */
export function changePartsSubject(hash: string): string {
  return `change.=part.${hash}`;
}

/** `object.state.<target>.<assetKey>` and `object.values.<target>.<assetKey>`: below them lie the parts of what an outcome refers to. */
export function objectSubject(kind: 'state' | 'values', target: string, key: string): string {
  return `object.${kind}.${encodeToken(target)}.${key}`;
}

/** `outcome.<target>.<assetKey>`: its last message carries the asset's sync state. */
export function outcomeSubject(target: string, key: string): string {
  return `outcome.${encodeToken(target)}.${key}`;
}

/** `bulk.<target>.<partition>.<first sequence>`: what the configuration alone decided; one subject a message, so that none pushes out another. */
export function bulkOutcomeSubject(target: string, partition: number, firstSequence: number): string {
  return `bulk.${encodeToken(target)}.${partition}.${firstSequence}`;
}

/** `parked.<target>.<assetKey>.<sequence in CHANGES>` */
export function parkedSubject(target: string, key: string, sequence: number): string {
  return `parked.${encodeToken(target)}.${key}.${sequence}`;
}

/** Everything that is parked for a target. */
export function parkedFilter(target: string): string {
  return `parked.${encodeToken(target)}.>`;
}

export function parseParkedSubject(subject: string): { readonly key: string; readonly sequence: number } {
  const [, , key = '', sequence = ''] = subject.split('.');
  return { key, sequence: Number(sequence) };
}

/** `bulk.<target>.<partition>.gap-<first>-<last>`: what CHANGES discarded before the lane had settled it. */
export function gapSubject(target: string, partition: number, first: number, last: number): string {
  return `bulk.${encodeToken(target)}.${partition}.gap-${first}-${last}`;
}

/** `deadletter.<target>.<id>`; what intake could not read stands under the target `_intake`. */
export function deadLetterSubject(target: string | undefined, id: string): string {
  return `deadletter.${target === undefined ? '_intake' : encodeToken(target)}.${id}`;
}
