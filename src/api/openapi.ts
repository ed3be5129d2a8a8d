import { z } from 'zod';
import { API_ACTIONS, type ApiAction } from './actions.ts';
import { API_PREFIX, API_ROUTES, type ApiRoute } from './routes.ts';

/** The OpenAPI 3.1 description of the API, made from the same tables that serve it. */
export function openApiDocument() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Backflow',
      version: '1',
      description: 'View of lanes, outcomes and dead letters; pauses and releases.',
    },
    paths: Object.fromEntries([
      ...API_ROUTES.map((route) => [`${API_PREFIX}${route.path}`, { get: operationOf(route) }] as const),
      ...API_ACTIONS.map((action) => [`${API_PREFIX}${action.path}`, { post: actionOf(action) }] as const),
    ]),
  };
}

const RESPONSES = {
  200: { description: 'The answer', content: { 'application/json': {} } },
  400: { description: 'A parameter is wrong; the answer names it' },
  403: { description: 'The service is not bound to a loopback address' },
  404: { description: 'Nothing is known of what was asked for' },
};

function operationOf(route: ApiRoute) {
  const schema = z.toJSONSchema(route.query, { io: 'input' });
  const required = new Set(schema.required ?? []);
  return {
    summary: route.summary,
    parameters: Object.entries(schema.properties ?? {}).map(([name, property]) => ({
      name,
      in: 'query',
      required: required.has(name),
      schema: property,
    })),
    responses: RESPONSES,
  };
}

function actionOf({ summary, body }: ApiAction) {
  const schema = z.toJSONSchema(body, { io: 'input' });
  return {
    summary,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: RESPONSES,
  };
}
