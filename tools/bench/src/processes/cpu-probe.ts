/**
 * Preloaded into each measured process with `node --import`. It reports the CPU time over the channel to the parent
 * process and has no other effect on the process.
 */
process.on('message', (message: { readonly type?: string }) => {
  if (message.type !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ type: 'usage', cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() });
});

export {};
