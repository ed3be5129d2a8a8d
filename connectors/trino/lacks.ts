import type { Operation } from '../../src/domain/operation.ts';
import type { QueryHint } from './errors.ts';
import { parsePrincipal } from './principal.ts';

/** How long a refusal counts: a server that was upgraded is found out after that. */
const REMEMBERED_MS = 60 * 60 * 1000;

/** One thing that a connector may not support: `description table`, `description view column`, `owners schema role`. */
export function lackOf({ aspect, object, ...operation }: Operation, kind: string | undefined): string {
  const what =
    object.level === 'column' ? `${kind ?? 'table'} column` : object.level === 'schema' ? 'schema' : (kind ?? 'table');
  const principal = 'principal' in operation ? operation.principal : undefined;
  const role = principal !== undefined && parsePrincipal(principal).kind === 'ROLE' ? ' role' : '';
  return `${aspect} ${what}${role}`;
}

/**
 * What catalogs have answered NOT_SUPPORTED to, in the engine's own words for a connector that does not implement it: there is no other
 * way to find out than to try. Refusals that concern one object (a format, a version of a table) are not remembered.
 */
export class RememberedLacks {
  readonly #until = new Map<string, Map<string, number>>();
  readonly #now: () => number;

  /** `now`: milliseconds of any clock that does not go back. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  remember(operation: Operation, kind: string | undefined, hint: QueryHint | undefined): void {
    if (hint !== 'connector-lacks' && hint !== 'roles-lacking') return;
    const catalog = operation.object.database.toLowerCase();
    const ofCatalog = this.#until.get(catalog) ?? new Map<string, number>();
    ofCatalog.set(lackOf(operation, kind), this.#now() + REMEMBERED_MS);
    this.#until.set(catalog, ofCatalog);
  }

  of(catalog: string): readonly string[] {
    const ofCatalog = this.#until.get(catalog.toLowerCase());
    if (ofCatalog === undefined) return [];
    const now = this.#now();
    return [...ofCatalog].filter(([, until]) => until > now).map(([lack]) => lack);
  }
}
