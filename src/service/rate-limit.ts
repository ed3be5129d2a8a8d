import type { AdaptiveBucket } from '../../streams/operators/adaptive-bucket.ts';
import type { TargetConfig } from '../config/compiled.ts';

/** Statements per second of one lane: what it may run now, and what it may run when the target does not ask it to slow down. */
export interface RateLimit {
  readonly perSecond: number;
  readonly configured: number;
}

/** Lanes of one target share its rate. */
export function rateLimitOf(bucket: Pick<AdaptiveBucket, 'perSecond'>, target: TargetConfig): RateLimit {
  return { perSecond: bucket.perSecond(), configured: target.rate.perSecond / target.partitions };
}
