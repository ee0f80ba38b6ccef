/** The functions that handle the parent's messages, by message type. */
type Answers = Readonly<Record<string, () => object | Promise<object>>>;

/** Tells the parent process that the program is ready, responds to its messages, and ends when the parent ends. */
export function serveParent(addresses: Readonly<Record<string, number>>, answers: Answers = {}): void {
  process.on('message', async ({ type = '' }: { readonly type?: string }) => {
    const answer = answers[type];
    if (answer) process.send?.({ type, ...(await answer()) });
  });
  process.on('disconnect', () => process.exit());
  process.on('SIGTERM', () => process.exit());
  process.send?.({ type: 'ready', addresses });
}
