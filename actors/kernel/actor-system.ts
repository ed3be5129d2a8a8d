import type { Observable } from 'rxjs';
import type { ActorRef } from './actor-ref.ts';
import type { Behavior, KeyedActors, KeyedOptions, SpawnOptions } from './behavior.ts';
import { Cell } from './cell.ts';
import { Children } from './children.ts';
import { EventBus } from './event-bus.ts';
import type { Family, Kernel } from './kernel.ts';
import { KernelUsageError } from './kernel-error.ts';
import { KeyedGroup } from './keyed-group.ts';
import { type Clock, createSystemScheduler, type Random, type Scheduler, systemClock } from './scheduling.ts';
import type { SystemEvent } from './system-event.ts';
import { type UndeliveredLog, UndeliveredRing } from './undelivered-log.ts';

export interface SystemOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly scheduler?: Scheduler;
  /** Messages that one actor may handle before the others get their turn. Default 32. */
  readonly throughput?: number;
}

export interface StopReport {
  /** Actors that still ran, or whose `stopped` had no chance, when the time was over; empty after a clean stop. */
  readonly abandoned: readonly string[];
}

export interface ActorSystem {
  /** A top-level actor. Throws `KernelUsageError` when its name is taken or the system is stopping. */
  spawn<S, M>(behavior: Behavior<S, M>, options: SpawnOptions<M>): ActorRef<M>;
  keyed<S, M>(type: string, options: KeyedOptions<S, M>): KeyedActors<M>;
  /** Hot; never completes, since messages can be refused after the stop too. A listener must not throw. */
  readonly events: Observable<SystemEvent>;
  readonly undelivered: UndeliveredLog;
  /** Stops all actors, waiting for running handlers and children; what still runs after `timeoutMs` is abandoned. */
  stop(timeoutMs: number): Promise<StopReport>;
}

export function createActorSystem(options: SystemOptions = {}): ActorSystem {
  const { clock = systemClock, random = Math.random, scheduler = createSystemScheduler(), throughput = 32 } = options;
  if (!(throughput >= 1)) throw new KernelUsageError(`throughput must be at least 1, not ${throughput}.`);
  const bus = new EventBus();
  const kernel: Kernel = {
    clock,
    random,
    scheduler,
    throughput,
    undelivered: new UndeliveredRing(),
    emit: (event) => bus.emit(event),
    spawn: (family, behavior, spawnOptions) => spawn(kernel, family, behavior, spawnOptions),
    keyed: (family, type, keyedOptions) => keyed(kernel, family, type, keyedOptions),
  };
  const root = new Children('', (child, error) => {
    kernel.emit({ type: 'escalated', actor: child.name, actorType: child.type, at: clock.now(), error });
  });
  let stopping: Promise<StopReport> | undefined;

  return {
    events: bus.events,
    undelivered: kernel.undelivered,
    spawn: (behavior, spawnOptions) => spawn(kernel, root, behavior, spawnOptions),
    keyed: (type, keyedOptions) => keyed(kernel, root, type, keyedOptions),
    stop(timeoutMs) {
      stopping ??= stopWithin(kernel, root, timeoutMs);
      return stopping;
    },
  };
}

function spawn<S, M>(kernel: Kernel, family: Family, behavior: Behavior<S, M>, options: SpawnOptions<M>): ActorRef<M> {
  const { name, type = name } = options;
  const cell = new Cell({ kernel, owner: family, name: family.prefix + name, type, behavior, options });
  family.adopt(cell);
  cell.activate();
  return cell;
}

function keyed<S, M>(kernel: Kernel, family: Family, type: string, options: KeyedOptions<S, M>): KeyedActors<M> {
  const group = new KeyedGroup({ kernel, owner: family, name: family.prefix + type, type, options });
  family.adopt(group);
  return group;
}

async function stopWithin(kernel: Kernel, root: Children, timeoutMs: number): Promise<StopReport> {
  const overdue = Promise.withResolvers<readonly string[]>();
  const timer = kernel.scheduler.setTimer(timeoutMs, () => overdue.resolve(root.abandonAll()));
  const clean = root.stopAll().then((): readonly string[] => []);
  const abandoned = await Promise.race([overdue.promise, clean]);
  timer.cancel();
  return { abandoned };
}
