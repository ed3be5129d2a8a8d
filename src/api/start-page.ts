import { z } from 'zod';
import { WEBHOOK_PATH } from '../intake/webhook.ts';
import { API_PREFIX, API_ROUTES, type ApiRoute } from './routes.ts';

const API_ITEMS = API_ROUTES.map((route) => `<li>${placeOf(route)}: ${route.summary}</li>`).join('\n');

/** A link, or where the endpoint answers nothing without a parameter, how it is called. */
function placeOf({ path, query }: ApiRoute): string {
  const place = `${API_PREFIX}${path}`;
  const needed = Object.entries(query.shape).flatMap(([name, shape]) =>
    z.safeParse(shape, undefined).success ? [] : [name],
  );
  if (needed.length === 0) return `<a href="${place}">${place}</a>`;
  return `<code>${place}?${needed.map((name) => `${name}=…`).join('&amp;')}</code>`;
}

/** What a person sees who opens the service in a browser. Constant text, nothing from outside. */
export const START_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Backflow</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; } code { background: #8882; padding: 0 .25em; }</style>
<h1>Backflow</h1>
<p>Writes descriptions, tags and owners from OpenMetadata back into the source systems.</p>
<ul>
<li><code>POST ${WEBHOOK_PATH}</code>: signed change events of OpenMetadata's webhook</li>
<li><a href="/readyz">/readyz</a>, <a href="/livez">/livez</a>: probes</li>
<li><a href="/metrics">/metrics</a>: metrics for Prometheus</li>
<li><a href="${API_PREFIX}/openapi.json">${API_PREFIX}/openapi.json</a>: the API (from this machine only)</li>
${API_ITEMS}
</ul>
<p>On the command line: <code>backflow runs</code>, <code>backflow lanes</code>, <code>backflow explain &lt;fqn&gt;</code>, <code>backflow dlq list</code>.</p>
</html>
`;
