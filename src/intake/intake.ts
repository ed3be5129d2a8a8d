import type { MessageHeaders } from '../../streams/nats/contract.ts';
import type { IntakeSource } from '../telemetry/metrics.ts';

/** What intake is given: the bytes as they came, and what stood beside them. */
export interface IntakeMessage {
  readonly body: Uint8Array;
  readonly source: IntakeSource;
  /** Lower-case names; `traceparent` and `tracestate` are used. */
  readonly headers: MessageHeaders;
  /** Names this very message, so that a second try of the same one makes no second dead letter. */
  readonly id?: string;
}

/** What became of one event of a message. */
export type IntakeItem =
  | { readonly result: 'published' | 'duplicate' | 'no-target'; readonly eventId: string; readonly sequence: number }
  | { readonly result: 'other-entity'; readonly eventId?: string; readonly entityType: string }
  | { readonly result: 'test-message' }
  | { readonly result: 'unreadable'; readonly deadLetter: string; readonly reason: string };

/** `stored` false: NATS did not take everything in time, so nobody may believe that the message was accepted. */
export type IntakeReport =
  | { readonly stored: true; readonly items: readonly IntakeItem[] }
  | { readonly stored: false; readonly reason: string };

/** Takes messages of any source into CHANGES. Never rejects for what a message holds; every message ends in a report. */
export interface Intake {
  ingest(message: IntakeMessage): Promise<IntakeReport>;
}

/** What intake has to know of the configuration in force. */
export interface TargetLookup {
  /** Whether any target reads the changes of this service: its own, or a sink of a channel. */
  reads(service: string): boolean;
  revision(): number;
}
