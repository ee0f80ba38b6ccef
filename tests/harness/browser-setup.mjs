import { findChromium } from './chromium.mjs';
import { startStackProcess } from './dist/stack-process.js';

/** One stack for all files: starting it takes longer than most of them. Its pace lets a page show each observation. */
export default async function globalSetup() {
  const stack = await startStackProcess({
    args: ['--seed', 'empty', '--dashboards', '1'],
    env: {
      CONFIRM_OBSERVATIONS: '3',
      // Less than two intervals, or a third reading some milliseconds early would need a fourth.
      CONFIRM_SPAN: '6s',
      CONFIRM_INTERVAL: '4s',
      POLL_INTERVAL_FACTOR: '0.003',
      MAIL_GROUP_WAIT: '1s',
    },
  });
  process.env.BROWSER_PATH = findChromium();
  process.env.BROWSER_STACK = JSON.stringify(await stack.state());
  globalThis.stopBrowserStack = stack.stop;
}
