/** Preloaded into each measured process with `node --import`. */
process.on('message', (message: { readonly type?: string }) => {
  if (message.type !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send?.({ type: 'usage', cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() });
});

export {};
