import { performance } from 'node:perf_hooks';
import client from 'prom-client';

/**
 * The time that the event loop was busy, as a counter: its rate is the share of one core that JavaScript keeps busy (1 is
 * a loop that never rests), over whatever span is asked for and for however many scrapers.
 */
export function countEventLoopTime(registry: client.Registry): void {
  let before = 0;
  new client.Counter({
    name: 'nodejs_eventloop_active_seconds_total',
    help: 'Time that the event loop was busy; its rate is the utilization of the loop.',
    registers: [registry],
    collect() {
      const { active } = performance.eventLoopUtilization();
      this.inc(Math.max(0, active - before) / 1_000);
      before = active;
    },
  });
}
