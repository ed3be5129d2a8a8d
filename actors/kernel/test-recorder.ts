import { type ActorSystem, createActorSystem, type SystemOptions } from './actor-system.ts';
import type { Behavior } from './behavior.ts';
import type { SystemEvent } from './system-event.ts';
import { createTestKit } from './test-kit.ts';

/** A system in virtual time, and all that it says. */
export function testSystem(options: SystemOptions = {}) {
  const kit = createTestKit();
  const { clock, random, scheduler } = kit;
  const system: ActorSystem = createActorSystem({ clock, random, scheduler, ...options });
  const events: SystemEvent[] = [];
  system.events.subscribe((event) => events.push(event));
  const lines = (): string[] => events.map(line);
  return { kit, system, events, lines };
}

function line(event: SystemEvent): string {
  switch (event.type) {
    case 'undelivered':
      return `${event.actor} ${event.reason} ${String(event.message)}`;
    case 'failed':
      return `${event.actor} failed: ${event.directive}`;
    case 'stopped':
      return `${event.actor} stopped: ${event.reason.kind}`;
    case 'restarting':
      return `${event.actor} restarting in ${event.delayMs}`;
    default:
      return `${event.actor} ${event.type}`;
  }
}

/** Keeps the texts that it is told; "fail" fails, "wait <ms>" takes its time, "hang" never ends. */
export function recorder(kit: { sleep(ms: number): Promise<void> }, log: string[]): Behavior<number, string> {
  return {
    start: () => {
      log.push('start');
      return 0;
    },
    receive: async (count, msg) => {
      log.push(msg);
      if (msg.startsWith('fail')) throw new Error(msg);
      if (msg === 'hang') await new Promise(() => undefined);
      if (msg.startsWith('wait')) await kit.sleep(Number(msg.slice(5)));
      return count + 1;
    },
    stopped: (count, _, reason) => {
      log.push(`stopped after ${count}: ${reason.kind}`);
    },
  };
}
