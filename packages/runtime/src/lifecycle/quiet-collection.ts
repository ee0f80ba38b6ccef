import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What decides whether to collect, and what collects. */
export interface Heap {
  /** What part of a core this process took since it was last asked. */
  busy(): number;
  usedBytes(): number;
  collect(): void;
}

/** How often a service looks whether it has been quiet. */
const LOOK_EVERY_MS = 1_000;
/** One request in two hundred may meet a collection at the most. */
const LOOKS_BETWEEN = 10;
/** Less is not worth the 20 to 50 ms. */
const MIN_GROWTH_BYTES = 4_000_000;
/** What a service does that nobody asks anything of: it looks for work, and answers probes. */
const QUIET_BELOW = 0.02;

/**
 * Decides at each look whether the heap is collected: when the service is quiet and has kept some megabytes since the last
 * collection, or since its start. V8 itself collects when as much again was made, and so a quiet service would keep the
 * garbage of its start, or of its last busy hour, for good (docs/adr/0017).
 */
export function quietCollection({ busy, usedBytes, collect }: Heap): () => void {
  let looks = LOOKS_BETWEEN;
  let keptBytes = 0;
  let onceMore = false;
  return () => {
    looks += 1;
    const isQuiet = busy() < QUIET_BELOW;
    if (!isQuiet || looks < LOOKS_BETWEEN) return;
    const hasGrown = usedBytes() - keptBytes >= MIN_GROWTH_BYTES;
    if (!hasGrown && !onceMore) return;
    collect();
    looks = 0;
    keptBytes = usedBytes();
    // V8 makes the young generation small only where little was made in the five seconds before.
    onceMore = hasGrown;
  };
}

/** Collects what the start of this process left, and from then on what a busy time left, whenever it is quiet. */
export function collectWhenQuiet(): void {
  // Node has no other way to ask for a collection once it runs.
  setFlagsFromString('--expose-gc');
  const collect: (() => void) | undefined = runInNewContext('globalThis.gc');
  if (!collect) return;
  // CPU and not the event loop: that looks busy on a machine where it waits for a core.
  let [cpu, atMs] = [process.cpuUsage(), performance.now()];
  const look = quietCollection({
    busy() {
      const { user, system } = process.cpuUsage(cpu);
      const tookMs = performance.now() - atMs;
      [cpu, atMs] = [process.cpuUsage(), performance.now()];
      return (user + system) / 1_000 / tookMs;
    },
    usedBytes: () => getHeapStatistics().used_heap_size,
    collect,
  });
  setInterval(look, LOOK_EVERY_MS).unref();
}
