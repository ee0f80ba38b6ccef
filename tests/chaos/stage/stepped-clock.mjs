/*
 * Loaded into a service before its own code (`node --import`): Date then runs ahead of the machine's clock, or behind
 * it, by as many milliseconds as the last message `{ type: 'step-clock', byMs }` of the parent process said. Clocks that
 * never step, such as performance.now(), are left alone, as they are when a machine's clock is set.
 */
const RealDate = Date;
let offsetMs = Number(process.env.CLOCK_OFFSET_MS ?? 0);

globalThis.Date = class SteppedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offsetMs);
    else super(...args);
  }

  static now() {
    return RealDate.now() + offsetMs;
  }
};

process.on('message', (message) => {
  if (message?.type === 'step-clock') offsetMs = message.byMs;
});
