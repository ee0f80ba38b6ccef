/** What a program of this package answers when its parent asks for it by name. */
type Answers = Readonly<Record<string, () => object | Promise<object>>>;

/** Says to the parent that this program is ready, answers what it asks, and ends with it. */
export function serveParent(addresses: Readonly<Record<string, number>>, answers: Answers = {}): void {
  process.on('message', async ({ type = '' }: { readonly type?: string }) => {
    const answer = answers[type];
    if (answer) process.send?.({ type, ...(await answer()) });
  });
  process.on('disconnect', () => process.exit());
  process.on('SIGTERM', () => process.exit());
  process.send?.({ type: 'ready', addresses });
}
