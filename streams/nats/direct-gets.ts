import type { Msg } from '@nats-io/nats-core';
import { API_TIMEOUT_MS } from './api-request.ts';
import type { NatsLink } from './connection.ts';

/** Requests that are under way at once. */
const PARALLEL = 256;

/**
 * Asks for the last messages of many subjects over one inbox, without a promise and a timer for each of them.
 * `found` gets every message, as the server sent it; what is answered by nothing (404) is passed over. Resolves with the subjects
 * that got no usable answer in time; it never rejects. Reads from whichever replica answers.
 */
export async function directGets(
  link: NatsLink,
  stream: string,
  subjects: readonly string[],
  found: (subject: string, message: Msg) => void,
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
    callback: (error, message) => {
      if (error !== null) return giveUp();
      const place = Number(message.subject.slice(inbox.length + 1));
      if (!open.delete(place)) return;
      answered = performance.now();
      const subject = subjects[place] ?? '';
      const code = message.headers?.code ?? 0;
      if (code === 0) found(subject, message);
      else if (code !== 404) failed.push(subject);
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
