import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Access to the process's CPU use, heap size and garbage collector. */
export interface Heap {
  /** Returns the CPU time used since the last call, as a fraction of one core. */
  busy(): number;
  usedBytes(): number;
  collect(): void;
}

const CHECK_EVERY_MS = 1_000;
/**
 * Minimum number of checks between two collections. There is one check per second. A collection takes up to 50 ms, so
 * it delays at most one request in 200.
 */
const CHECKS_BETWEEN = 10;
/** The minimum growth of the heap. Less garbage is not worth the 20 to 50 ms of a collection. */
const MIN_GROWTH_BYTES = 4_000_000;
/**
 * The CPU use below which a service counts as quiet, as a fraction of one core. An idle service only polls for work and
 * responds to probes.
 */
const QUIET_BELOW = 0.02;

/**
 * Returns a function that collects garbage if the service is quiet and its heap has grown by at least 4 MB since the
 * last collection or since startup. V8 itself collects garbage only when the heap has doubled. A quiet service would
 * therefore keep the garbage of its startup or its last busy hour forever (docs/adr/0017).
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
    // V8 shrinks the young generation only if little was allocated in the 5 s before a collection, so a second
    // collection follows.
    collectAgain = hasGrown;
  };
}

/**
 * Starts collecting garbage whenever the process is quiet. This frees memory left over from startup and busy periods.
 */
export function collectWhenQuiet(): void {
  // This is the only way to trigger a collection in a process that was started without this flag.
  setFlagsFromString('--expose-gc');
  const collect: (() => void) | undefined = runInNewContext('globalThis.gc');
  if (!collect) return;
  // CPU time is used, because the utilization of the event loop is also high while the process waits for a core.
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
