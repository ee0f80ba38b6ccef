import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const pollMs = 200;
const breakingTimeoutMs = 10_000;

/**
 * Runs `work` with an exclusive lock file. Replaces the lock of a process that no longer runs.
 * @template Result
 * @param {string} file
 * @param {(line: string) => void} say
 * @param {() => Promise<Result>} work
 * @returns {Promise<Result>}
 */
export async function withLock(file, say, work) {
  const ownText = JSON.stringify({ pid: process.pid, startTime: readStartTime(process.pid), nonce: randomUUID() });
  let announced = false;
  while (!tryCreate(file, ownText)) {
    const owner = readOwner(file);
    if (owner.text !== undefined && !isRunning(owner)) {
      breakStale(file, owner.text);
      continue;
    }
    if (!announced)
      say(`Another command is setting up this checkout (process ${owner.pid ?? 'unknown'}). Waiting for it …`);
    announced = true;
    await sleep(pollMs);
  }
  const release = () => {
    if (readOwner(file).text === ownText) rmSync(file, { force: true });
  };
  // A signal can end the process with process.exit() during the work, which skips `finally`.
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

/** `text` is undefined if there is no lock, or if its owner is still writing it. */
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
 * If two processes find a stale lock, the slower one must not remove the faster one's new lock. Removal therefore needs
 * a second lock.
 */
function breakStale(file, staleText) {
  const breaking = `${file}.breaking`;
  try {
    mkdirSync(breaking);
  } catch {
    removeIfOld(breaking);
    return;
  }
  try {
    if (readOwner(file).text === staleText) rmSync(file, { force: true });
  } finally {
    rmdirSync(breaking);
  }
}

function removeIfOld(directory) {
  try {
    if (Date.now() - statSync(directory).mtimeMs > breakingTimeoutMs) rmdirSync(directory);
  } catch {
    // Another process has just removed the lock.
  }
}

/** Compares the start time too, because a later process may have the same id. */
function isRunning({ pid, startTime }) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code !== 'EPERM') return false;
  }
  return readStartTime(pid) === startTime;
}

/** Returns field 22 of /proc/PID/stat, see proc(5), or undefined if there is no /proc. */
function readStartTime(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
