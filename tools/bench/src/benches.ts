import type { Bench } from './bench.js';

/** What `pnpm bench NAME` knows by name; each is loaded when it is asked for. */
export const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  api: async () => (await import('./api/api-bench.js')).apiBench,
  isolation: async () => (await import('./api/isolation-bench.js')).isolationBench,
  dashboard: async () => (await import('./dashboard/dashboard-bench.js')).dashboardBench,
  compare: async () => (await import('./compare/compare-bench.js')).compareBench,
  polling: async () => (await import('./polling/polling-bench.js')).pollingBench,
  fairness: async () => (await import('./polling/fairness-bench.js')).fairnessBench,
  depth: async () => (await import('./polling/depth-bench.js')).depthBench,
  backlog: async () => (await import('./backlog/backlog-bench.js')).backlogBench,
  memory: async () => (await import('./delivery/memory-bench.js')).memoryBench,
  flood: async () => (await import('./delivery/flood-bench.js')).floodBench,
  mails: async () => (await import('./mails/mails-bench.js')).mailsBench,
  whole: async () => (await import('./whole/whole-bench.js')).wholeBench,
  delivery: async () => (await import('./delivery/delivery-bench.js')).deliveryBench,
};
