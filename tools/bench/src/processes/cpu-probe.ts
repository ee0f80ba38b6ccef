/**
 * Preloaded into a measured process (`node --import`): reports its CPU time to the parent over the channel. It does not
 * change the process otherwise.
 */
process.on('message', (message: { readonly type?: string }) => {
  if (message.type !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ type: 'usage', cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() });
});

export {};
