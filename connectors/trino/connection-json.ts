import { z } from 'zod';

const secret = (what: string) =>
  z.string().refine((text) => !/^\*+$/.test(text), {
    message: `${what} is masked (only asterisks), as OpenMetadata shows it to people. Put the real one here, best as \${ENV_VARIABLE}.`,
  });

/** What can stand in a list in an HTTP header: printable ASCII without the list's own marks. */
const headerWord = z.string().regex(/^[!-+\--<>-~]+$/, 'must be printable ASCII without blanks, commas and =');
const words = z.record(headerWord, z.union([z.string(), z.number(), z.boolean()]).transform(String));

/** `connectionArguments` of trino-python-client that mean something here too. */
const pythonArguments = z.looseObject({
  http_scheme: z.enum(['http', 'https']).optional(),
  verify: z.union([z.boolean(), z.string()]).optional(),
  session_properties: words.default({}),
  roles: words.default({}),
  client_tags: z.array(headerWord).default([]),
});

/** Our own settings beside OpenMetadata's. */
const ours = z.strictObject({
  session: words.default({}),
  roles: words.default({}),
  clientTags: z.array(headerWord).default([]),
  /** OAuth 2.0 client credentials: a token is fetched and renewed. */
  oauth2: z
    .strictObject({
      tokenUrl: z.url(),
      clientId: z.string().min(1, 'must not be empty'),
      clientSecret: secret('the client secret'),
      scope: z.string().optional(),
    })
    .optional(),
});

const authType = z.union([
  z.string(),
  z.looseObject({
    password: secret('the password').optional(),
    jwt: secret('the token').optional(),
    azureConfig: z
      .looseObject({
        clientId: z.string().optional(),
        clientSecret: secret('the client secret').optional(),
        tenantId: z.string().optional(),
        scopes: z.string().optional(),
      })
      .optional(),
    awsConfig: z.unknown().optional(),
  }),
]);

/** The shape of OpenMetadata's `Trino` connection, as far as it is looked at. */
export const trinoSource = z.looseObject({
  type: z.literal('Trino').optional(),
  // It travels in a header.
  username: z.string().regex(/^[!-~](?:[ -~]*[!-~])?$/, 'must be printable ASCII and not empty'),
  authType: authType.optional(),
  /** Services of older versions. */
  password: secret('the password').optional(),
  hostPort: z.string().min(1, 'must not be empty'),
  proxies: z.looseObject({ http: z.string().optional(), https: z.string().optional() }).default({}),
  verify: z.union([z.boolean(), z.string()]).optional(),
  sslConfig: z
    .looseObject({
      caCertificate: secret('the CA certificate').optional(),
      sslCertificate: secret('the client certificate').optional(),
      sslKey: secret('the client key').optional(),
    })
    .optional(),
  connectionArguments: pythonArguments.default({ session_properties: {}, roles: {}, client_tags: [] }),
  backflow: ours.default({ session: {}, roles: {}, clientTags: [] }),
});

export type TrinoSource = z.infer<typeof trinoSource>;
