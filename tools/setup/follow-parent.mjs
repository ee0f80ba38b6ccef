const pollMs = 500;

/**
 * Stops this process, as Ctrl-C would, when npm or pnpm is gone. They run a script in a shell, and a signal to npm
 * alone may end the shell but never reach the program that it runs.
 */
export function followParent() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, pollMs);
  timer.unref();
}
