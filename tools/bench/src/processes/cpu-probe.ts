/** Preloaded into each measured process with `node --import`. Reports CPU time to the parent process. */
process.on('message', (message: { readonly type?: string }) => {
  if (message.type !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ type: 'usage', cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() });
});

export {};
