import type { Asset } from '../domain/asset.ts';
import type { EntityType } from '../domain/entity.ts';
import { formatFqn, parseFqn } from '../domain/fqn.ts';

/** The asset (and column) that an FQN names; undefined when it has too few parts. */
export function assetOf(fqn: string): { readonly asset: Asset; readonly column?: readonly string[] } | undefined {
  const parts = parseFqn(fqn);
  if (!parts.ok || parts.value.length < 2) return undefined;
  const types: readonly EntityType[] = ['database', 'databaseSchema', 'table'];
  const depth = Math.min(parts.value.length, 4);
  const entityType = types[depth - 2];
  if (entityType === undefined) return undefined;
  const asset = { entityType, fqn: formatFqn(parts.value.slice(0, depth)) };
  return parts.value.length > 4 ? { asset, column: parts.value.slice(4) } : { asset };
}
