import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 200;
const breakingTimeoutMs = 10_000;

/**
 * Runs `work` while no other process holds the lock file. A lock whose owner is gone (killed, or the machine went
 * down) is taken over.
 *
 * @template Result
 * @param {string} file
 * @param {(line: string) => void} say
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withLock(file, say, work) {
  const mine = JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid), nonce: randomUUID() });
  let announced = false;
  while (!tryCreate(file, mine)) {
    const owner = readOwner(file);
    if (owner.text !== undefined && !isRunning(owner)) {
      breakStale(file, owner.text);
      continue;
    }
    if (!announced)
      say(`Another command is setting this checkout up (process ${owner.pid ?? 'unknown'}); waiting for it …`);
    announced = true;
    await sleep(pollMs);
  }
  const release = () => {
    if (readOwner(file).text === mine) rmSync(file, { force: true });
  };
  // Also when a signal ends the process in the middle of the work.
  process.once('exit', release);
  try {
    return await work();
  } finally {
    release();
    process.off('exit', release);
  }
}

function tryCreate(file, text) {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The text is undefined when there is no lock any more; an owner in the middle of writing it has no pid yet. */
function readOwner(file) {
  try {
    const text = readFileSync(file, 'utf8');
    if (text === '') return Date.now() - statSync(file).mtimeMs > breakingTimeoutMs ? { text } : {};
    return { ...JSON.parse(text), text };
  } catch {
    return {};
  }
}

/**
 * Two processes may find the same stale lock; the slower one must not remove the lock that the faster one has put in
 * its place. So only the holder of a second lock removes, and only what is still the stale one.
 */
function breakStale(file, staleText) {
  const breaking = `${file}.breaking`;
  try {
    mkdirSync(breaking);
  } catch {
    removeWhenOld(breaking);
    return;
  }
  try {
    if (readOwner(file).text === staleText) rmSync(file, { force: true });
  } finally {
    rmdirSync(breaking);
  }
}

function removeWhenOld(directory) {
  try {
    if (Date.now() - statSync(directory).mtimeMs > breakingTimeoutMs) rmdirSync(directory);
  } catch {
    // Somebody else has just removed it.
  }
}

/** A later process with the same id has another start time. */
function isRunning({ pid, startTime }) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  return startTimeOf(pid) === startTime;
}

/** Field 22 of proc(5) stat; undefined on systems without /proc. */
function startTimeOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
