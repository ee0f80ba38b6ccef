import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The process and its heap, as needed to decide on a garbage collection. */
export interface Heap {
  /** CPU used since the last call, as a fraction of one core. */
  busy(): number;
  usedBytes(): number;
  collect(): void;
}

const CHECK_EVERY_MS = 1_000;
/**
 * At least 10 s between two collections. At up to 50 ms each, at most one request in 200 is delayed by a collection.
 */
const CHECKS_BETWEEN = 10;
/** Less garbage is not worth the 20 to 50 ms of a collection. */
const MIN_GROWTH_BYTES = 4_000_000;
/** Fraction of a core. An idle service only polls for work and responds to probes. */
const QUIET_BELOW = 0.02;

/**
 * Returns a function that collects garbage if the service is quiet and its heap has grown by 4 MB or more since the
 * last collection, or since the start. V8 collects only after the heap has doubled, so a quiet service would keep the
 * garbage from its start or from its last busy hour indefinitely (docs/adr/0017).
 */
export function quietCollection({ busy, usedBytes, collect }: Heap): () => void {
  let checks = CHECKS_BETWEEN;
  let keptBytes = 0;
  let collectAgain = false;
  return () => {
    checks += 1;
    const isQuiet = busy() < QUIET_BELOW;
    if (!isQuiet || checks < CHECKS_BETWEEN) return;
    const hasGrown = usedBytes() - keptBytes >= MIN_GROWTH_BYTES;
    if (!hasGrown && !collectAgain) return;
    collect();
    checks = 0;
    keptBytes = usedBytes();
    // V8 shrinks the young generation only if little was allocated in the 5 s before a collection, so collect once
    // more.
    collectAgain = hasGrown;
  };
}

/** Collects the garbage from the start and from later busy periods whenever the process is quiet. */
export function collectWhenQuiet(): void {
  // The only way to trigger a collection in a process that runs without this flag.
  setFlagsFromString('--expose-gc');
  const collect: (() => void) | undefined = runInNewContext('globalThis.gc');
  if (!collect) return;
  // CPU time, not event loop utilization, which is high while the process waits for a core.
  let [cpu, atMs] = [process.cpuUsage(), performance.now()];
  const collectIfQuiet = quietCollection({
    busy() {
      const { user, system } = process.cpuUsage(cpu);
      const elapsedMs = performance.now() - atMs;
      [cpu, atMs] = [process.cpuUsage(), performance.now()];
      return (user + system) / 1_000 / elapsedMs;
    },
    usedBytes: () => getHeapStatistics().used_heap_size,
    collect,
  });
  setInterval(collectIfQuiet, CHECK_EVERY_MS).unref();
}
