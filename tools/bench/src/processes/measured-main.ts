type Answers = Readonly<Record<string, () => object | Promise<object>>>;

/** Handles messages from the parent, and exits when the parent exits. */
export function serveParent(addresses: Readonly<Record<string, number>>, answers: Answers = {}): void {
  process.on('message', async ({ type = '' }: { readonly type?: string }) => {
    const answer = answers[type];
    if (answer) process.send?.({ type, ...(await answer()) });
  });
  process.on('disconnect', () => process.exit());
  process.on('SIGTERM', () => process.exit());
  process.send?.({ type: 'ready', addresses });
}
