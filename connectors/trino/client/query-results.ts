import { z } from 'zod';
import { ConnectorError } from '../../connector-error.ts';

/** One page of a statement, as far as it matters here. Everything else that a server sends is passed over. */
const page = z.looseObject({
  id: z.string(),
  nextUri: z.string().optional(),
  data: z.array(z.array(z.unknown())).nullish(),
  stats: z.looseObject({ state: z.string() }).optional(),
  error: z
    .looseObject({
      message: z.string().default(''),
      errorName: z.string().default('UNKNOWN'),
      errorType: z.string().default('INTERNAL_ERROR'),
      failureInfo: z.looseObject({ type: z.string().optional() }).nullish(),
    })
    .nullish(),
});

export type QueryPage = z.infer<typeof page>;

/** Parses a page; throws when the answer is not one of Trino's (a proxy's page, another service). */
export function parsePage(body: string): QueryPage {
  const parsed = page.safeParse(jsonOf(body));
  if (parsed.success) return parsed.data;
  const message = "The answer was not one of Trino's: a proxy, or another service, may stand at this address.";
  throw new ConnectorError({ class: 'transient', scope: 'target', code: 'no-trino-answer', message });
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
