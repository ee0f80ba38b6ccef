/**
 * Loaded into a measured process before its own code (`node --import`): says over the channel to its parent how much CPU
 * the process has used. The process itself is not changed.
 */
process.on('message', (message: { readonly type?: string }) => {
  if (message.type !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ type: 'usage', cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() });
});

export {};
