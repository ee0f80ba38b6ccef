/** Responses of a program of this package to its parent's messages, by type. */
type Answers = Readonly<Record<string, () => object | Promise<object>>>;

/** Reports to the parent that the program is ready, responds to its messages, and ends with it. */
export function serveParent(addresses: Readonly<Record<string, number>>, answers: Answers = {}): void {
  process.on('message', async ({ type = '' }: { readonly type?: string }) => {
    const answer = answers[type];
    if (answer) process.send?.({ type, ...(await answer()) });
  });
  process.on('disconnect', () => process.exit());
  process.on('SIGTERM', () => process.exit());
  process.send?.({ type: 'ready', addresses });
}
