import { readFileSync } from 'node:fs';

const pollMs = 500;

/**
 * Stops this process, as Ctrl-C would, when the npm or pnpm that runs it is gone. They run a script in a shell, and one
 * may run the other (`npx pnpm …`): a signal to the first may end it, or a shell, and never reach the program.
 */
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

/**
 * The package managers above this process and the shells between them, but not what they were started from: that may
 * well end before them (`npm start &`).
 */
function runnersAbove() {
  const chain = [];
  for (let pid = process.ppid; pid > 1; pid = statOf(pid)?.parent ?? 0) {
    const command = commandOf(pid);
    const isManager = /^(\S*\/)?(npm|npx|pnpm)(\s|$)/.test(command);
    if (!isManager && !/^(\S*\/)?(sh|dash|bash) -c /.test(command)) break;
    chain.push({ pid, isManager });
  }
  const last = chain.findLastIndex((runner) => runner.isManager);
  return chain.slice(0, last + 1).map((runner) => runner.pid);
}

function isRunning(pid) {
  const stat = statOf(pid);
  return stat !== undefined && stat.state !== 'Z';
}

/** Of proc(5); undefined where there is no /proc, or no such process. */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
