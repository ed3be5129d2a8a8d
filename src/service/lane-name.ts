import type { TargetConfig } from '../config/compiled.ts';
import { decodeToken, encodeToken } from '../domain/subjects.ts';

/** Name of a lane, of its durable consumer and of its lease: `lane-<target>-<partition>of<partitions>`. */
export function laneName({ service, partitions }: TargetConfig, partition: number): string {
  return `lane-${encodeToken(service)}-${partition}of${partitions}`;
}

/** What a lane's name says of it. */
export interface NamedLane {
  readonly target: string;
  readonly partition: number;
  readonly partitions: number;
}

/** Undefined for a text that names no lane. */
export function parseLaneName(name: string): NamedLane | undefined {
  const [, token, partition, partitions] = /^lane-(.+)-(\d+)of(\d+)$/.exec(name) ?? [];
  return token === undefined
    ? undefined
    : { target: decodeToken(token), partition: Number(partition), partitions: Number(partitions) };
}
