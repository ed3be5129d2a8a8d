import { z } from 'zod';

const FLAVOURS = ['MySQL', 'MariaDB'] as const;

/** What kind of server answers, as far as plans depend on it. */
export const serverSchema = z.object({
  flavour: z.enum(FLAVOURS),
  version: z.tuple([z.number(), z.number(), z.number()]),
});
export type Server = z.infer<typeof serverSchema>;

/** Reads the answer of `SELECT VERSION()`: `8.0.36`, `10.11.19-MariaDB-0+deb12u1`, `5.5.5-10.6.16-MariaDB`. */
export function parseServer(version: string): Server {
  const flavour = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL';
  // Old clients took a version above 9 for an error, so some proxies put this in front.
  const numbers = /(\d+)\.(\d+)\.(\d+)/.exec(version.replace(/^5\.5\.5-/, ''));
  return { flavour, version: [Number(numbers?.[1] ?? 0), Number(numbers?.[2] ?? 0), Number(numbers?.[3] ?? 0)] };
}

function atLeast({ version }: Server, major: number, minor: number): boolean {
  return version[0] > major || (version[0] === major && version[1] >= minor);
}

/** MariaDB has comments on schemas since 10.5; MySQL has none. */
export function hasSchemaComments(server: Server): boolean {
  return server.flavour === 'MariaDB' && atLeast(server, 10, 5);
}

/** `json` is a type of its own inside MariaDB since 10.5, though it is printed as `longtext`. */
export function printsJsonAsLongtext(server: Server): boolean {
  return server.flavour === 'MariaDB' && atLeast(server, 10, 5);
}

/** `MariaDB 10.11.19`, for people. */
export function describeServer({ flavour, version }: Server): string {
  return `${flavour} ${version.join('.')}`;
}
