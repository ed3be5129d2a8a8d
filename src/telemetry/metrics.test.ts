import { describe, expect, it } from 'vitest';
import { boundedLabel } from './bounded-label.ts';
import { createMetrics } from './metrics.ts';

describe('createMetrics', () => {
  it('exposes every metric of the service under its name', async () => {
    const metrics = createMetrics();
    const lane = { target: 'pg_sales', partition: 0 };
    metrics.intakeAnswered('webhook', 'unauthorized');
    metrics.intakeEvent('events', 'published');
    metrics.outcome('pg_sales', 'all', 'applied');
    metrics.outcome('pg_sales', undefined, 'skipped');
    metrics.changeToWrite('pg_sales', 40);
    metrics.laneLag(lane, 7);
    metrics.oldestUnapplied(lane, 1_500);
    metrics.credits(lane, { messages: 2, bytes: 900 });
    metrics.limiterWait('pg_sales', 20);
    metrics.breaker('pg_sales', 'open');
    metrics.deadLetter(undefined);
    const text = await metrics.text();
    for (const line of [
      'backflow_intake_requests_total{source="webhook",answer="unauthorized"} 1',
      'backflow_intake_events_total{source="events",result="published"} 1',
      'backflow_outcomes_total{target="pg_sales",channel="all",status="applied"} 1',
      'backflow_outcomes_total{target="pg_sales",channel="",status="skipped"} 1',
      'backflow_change_to_write_seconds_bucket{le="0.05",target="pg_sales"} 1',
      'backflow_lane_lag_messages{target="pg_sales",partition="0"} 7',
      'backflow_lane_oldest_unapplied_seconds{target="pg_sales",partition="0"} 1.5',
      'backflow_lane_credits_in_use{target="pg_sales",partition="0",unit="bytes"} 900',
      'backflow_limiter_wait_seconds_bucket{le="0.1",target="pg_sales"} 1',
      'backflow_breaker_state{target="pg_sales",state="open"} 1',
      'backflow_breaker_state{target="pg_sales",state="closed"} 0',
      'backflow_dead_letters_total{target="_intake"} 1',
    ]) {
      expect(text).toContain(line);
    }
  });

  it('forgets the gauges of a lane that went elsewhere', async () => {
    const metrics = createMetrics();
    const lane = { target: 'pg', partition: 1 };
    metrics.laneLag(lane, 7);
    metrics.credits(lane, { messages: 1, bytes: 1 });
    metrics.laneGone(lane);
    expect(await metrics.text()).not.toContain('partition="1"');
  });
});

describe('boundedLabel', () => {
  it('keeps the first values and folds later ones', () => {
    const label = boundedLabel(2);
    expect(['a', 'b', 'c', 'a', 'd'].map(label)).toEqual(['a', 'b', 'other', 'a', 'other']);
  });
});
