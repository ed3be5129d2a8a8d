import { readFileSync } from 'node:fs';
import type { ReceivedChange } from '../../src/domain/ledger.ts';
import { parseMessage } from '../../src/domain/parse-change-event.ts';

/** A captured change of an entity that is written back. */
export interface Capture {
  readonly file: string;
  readonly arrivedAt: number;
  readonly received: ReceivedChange;
}

export const FIXTURES = new URL('../fixtures/', import.meta.url).pathname;

/** The captured changes of one server in step order (file names); the stream takes each when the server delivered it. */
export function readCaptures(server: 'real-1.12' | 'real-1.6'): readonly Capture[] {
  const lines = readFileSync(`${FIXTURES}${server}/index.jsonl`, 'utf8').trim().split('\n');
  const captures: Capture[] = [];
  for (const line of lines) {
    const { file, arrivedAt }: { file: string; arrivedAt: number } = JSON.parse(line);
    for (const parsed of parseMessage(readFileSync(`${FIXTURES}${server}/${file}`))) {
      if (parsed.kind !== 'change') continue;
      captures.push({ file, arrivedAt, received: { sequence: 0, streamTime: arrivedAt, event: parsed.event } });
    }
  }
  return captures.sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** The changes as a stream holds them when they are published in this order. */
export function inOrder(captures: readonly Capture[]): readonly ReceivedChange[] {
  return captures.map(({ received }, index) => ({ ...received, sequence: index + 1 }));
}
