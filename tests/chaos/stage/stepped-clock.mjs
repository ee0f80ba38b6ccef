/*
 * Services preload this file with `node --import`. The message `{ type: 'step-clock', byMs }` shifts Date, but not the
 * monotonic clocks.
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
