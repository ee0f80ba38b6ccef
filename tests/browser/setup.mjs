import { startStackProcess } from '@artist-watch/harness/stack-process';
import { chromium } from 'playwright-core';
import { findChromium } from '../harness/chromium.mjs';

/**
 * All files share one stack and one Chromium, because starting them takes longer than most tests. Artists are polled
 * rarely, so the platform's budget is free for the polls that tests make due.
 */
export default async function globalSetup() {
  // Chromium ends with this process, even if the stack does not start.
  const browser = await chromium.launchServer({ executablePath: findChromium() });
  const stack = await startStackProcess({
    args: ['--seed', 'empty', '--dashboards', '1'],
    env: {
      CONFIRM_OBSERVATIONS: '3',
      // Tests make each poll due as soon as the page shows the result of the previous one.
      CONFIRM_SPAN: '1s',
      CONFIRM_INTERVAL: '1m',
      POLL_INTERVAL_FACTOR: '0.1',
      // The first retry must come after four first attempts, which take 5 s. A destination's pauses scale with the
      // first delay.
      WEBHOOK_RETRY_DELAYS: '8s,1h,1h,1h,1h',
      WEBHOOK_SWITCH_OFF_AFTER: '4',
      MAIL_GROUP_WAIT: '1s',
      // Most tests need an artist that no other test watches.
      SIMULATOR_ARTISTS: '50',
    },
  });
  process.env.BROWSER_ENDPOINT = browser.wsEndpoint();
  process.env.BROWSER_STACK = JSON.stringify(await stack.state());
  globalThis.stopBrowserStack = () => Promise.all([stack.stop(), browser.close()]);
}
