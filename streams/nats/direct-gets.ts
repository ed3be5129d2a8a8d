import type { Msg } from '@nats-io/nats-core';
import { API_TIMEOUT_MS } from './api-request.ts';
import type { NatsLink } from './connection.ts';

/** Requests that are under way at once. */
export const PARALLEL = 256;

/**
 * Asks for the last messages of many subjects over one inbox, without a promise and a timer for each of them.
 * `take` gets every answer, as the server sent it, and throws for one that cannot be used. Resolves with the subjects that got no
 * usable answer; it never rejects. `timeoutMs`: how long nothing may be answered at all. Reads from whichever replica answers.
 */
export async function directGets(
  link: NatsLink,
  stream: string,
  subjects: readonly string[],
  take: (subject: string, answer: Msg) => void,
  timeoutMs = API_TIMEOUT_MS,
): Promise<readonly string[]> {
  const inbox = link.inbox();
  const open = new Set<number>();
  const failed: string[] = [];
  let next = 0;
  let answered = performance.now();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const ask = (): void => {
    while (next < subjects.length && open.size < PARALLEL) {
      const place = next;
      next += 1;
      open.add(place);
      link.send({
        subject: `$JS.API.DIRECT.GET.${stream}.${subjects[place]}`,
        data: '',
        options: { reply: `${inbox}.${place}` },
        failed: () => giveUp(),
      });
    }
    if (open.size === 0) finish();
  };
  const giveUp = (): void => {
    for (const place of [...open, ...Array.from({ length: subjects.length - next }, (_, i) => next + i)])
      failed.push(subjects[place] ?? '');
    open.clear();
    next = subjects.length;
    finish();
  };
  const subscription = link.nc.subscribe(`${inbox}.*`, {
    callback: (error, answer) => {
      if (error !== null) return giveUp();
      const place = Number(answer.subject.slice(inbox.length + 1));
      if (!open.delete(place)) return;
      answered = performance.now();
      const subject = subjects[place] ?? '';
      try {
        take(subject, answer);
      } catch {
        // Thrown out of here it would break the connection, and nothing would tell that the subject is missing.
        failed.push(subject);
      }
      ask();
    },
  });
  // Silence, not the whole time, is what tells that an answer will not come.
  const watchdog = setInterval(() => {
    if (performance.now() - answered >= timeoutMs) giveUp();
  }, timeoutMs / 4);
  try {
    ask();
    await finished;
  } finally {
    clearInterval(watchdog);
    subscription.unsubscribe();
  }
  return failed;
}
