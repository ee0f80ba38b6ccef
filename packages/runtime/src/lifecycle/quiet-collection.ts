import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Heap {
  /** Returns the CPU time since the last call, as a fraction of one core. */
  busy(): number;
  usedBytes(): number;
  collect(): void;
}

const CHECK_EVERY_MS = 1_000;
/** A 50 ms collection every 10 s delays about one request in 200. */
const CHECKS_BETWEEN = 10;
/** A collection takes 20 to 50 ms, which isn't worthwhile if the heap has grown by less than this. */
const MIN_GROWTH_BYTES = 4_000_000;
/** A fraction of one core. An idle service uses less than this. */
const QUIET_BELOW = 0.02;

/**
 * Returns a function that collects garbage while the service is quiet. Without this, V8 would wait until the heap has
 * doubled (docs/adr/0017).
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
    // V8 only shrinks the young generation if little was allocated in the last 5 s, so collect a second time.
    collectAgain = hasGrown;
  };
}

export function collectWhenQuiet(): void {
  // A process can only trigger a collection if this flag is set.
  setFlagsFromString('--expose-gc');
  const collect: (() => void) | undefined = runInNewContext('globalThis.gc');
  if (!collect) return;
  // Measure CPU time, because the event loop also seems busy while the process waits for a core.
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
