import { z } from 'zod';
import { apiRequest } from './api-request.ts';
import type { NatsLink } from './connection.ts';

const page = z.object({
  // Some servers leave it out, others say null, where nothing matches.
  state: z.object({ subjects: z.record(z.string(), z.number()).nullish() }),
  total: z.number().optional(),
});

/** Names of the subjects of a stream that match a filter. The server holds them all in memory for the answer: for few subjects. */
export async function listSubjects(link: NatsLink, stream: string, filter: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (;;) {
    const query = { subjects_filter: filter, offset: found.length };
    const { state, total = 0 } = await apiRequest(
      link,
      `STREAM.INFO.${stream}`,
      query,
      page,
      `list the subjects of ${stream}`,
    );
    const names = Object.keys(state.subjects ?? {});
    found.push(...names);
    if (names.length === 0 || found.length >= total) return found;
  }
}

/** Removes all messages of one subject. */
export async function purgeSubject(link: NatsLink, stream: string, subject: string): Promise<void> {
  const done = z.object({ success: z.boolean() });
  await apiRequest(link, `STREAM.PURGE.${stream}`, { filter: subject }, done, `remove ${subject} from ${stream}`);
}
