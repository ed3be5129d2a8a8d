import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The two real servers whose webhook bodies were captured. */
export const CAPTURED_SERVERS = ['real-1.12', 'real-1.6'] as const;
export type CapturedServer = (typeof CAPTURED_SERVERS)[number];

const entry = z.object({ file: z.string(), step: z.string(), arrivedAt: z.number(), signature: z.string() });

/** A captured request: the exact bytes of its body and the signature that came with them. */
export interface CapturedEvent extends z.infer<typeof entry> {
  readonly body: Uint8Array<ArrayBuffer>;
}

/** All captured requests of a server in the order of their steps (file names). */
export function capturedEvents(server: CapturedServer): readonly CapturedEvent[] {
  const folder = new URL(`../fixtures/${server}/`, import.meta.url);
  return readFileSync(new URL('index.jsonl', folder), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => entry.parse(JSON.parse(line)))
    .map((one) => ({ ...one, body: new Uint8Array(readFileSync(new URL(one.file, folder))) }))
    .toSorted((a, b) => (a.file < b.file ? -1 : 1));
}
