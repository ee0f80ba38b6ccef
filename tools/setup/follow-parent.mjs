import { readFileSync } from 'node:fs';

const pollMs = 500;

/** Stops this process when the npm or pnpm that runs it exits. Package managers and shells may not forward signals. */
export function followParent() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const runners = runnersAbove();
  const timer = setInterval(() => {
    if (process.ppid === parent && runners.every(isRunning)) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, pollMs);
  timer.unref();
}

/** Excludes the process that started the package managers, because it may end earlier (`npm start &`). */
function runnersAbove() {
  const chain = [];
  for (let pid = process.ppid; pid > 1; pid = readStat(pid)?.parent ?? 0) {
    const command = readCommand(pid);
    const isManager = /^(\S*\/)?(npm|npx|pnpm)(\s|$)/.test(command);
    if (!isManager && !/^(\S*\/)?(sh|dash|bash) -c /.test(command)) break;
    chain.push({ pid, isManager });
  }
  const last = chain.findLastIndex((runner) => runner.isManager);
  return chain.slice(0, last + 1).map((runner) => runner.pid);
}

function isRunning(pid) {
  const stat = readStat(pid);
  return stat !== undefined && stat.state !== 'Z';
}

/** Reads /proc/PID/stat, see proc(5). Returns undefined if there is no /proc or no such process. */
function readStat(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function readCommand(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
