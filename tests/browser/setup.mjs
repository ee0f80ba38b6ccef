import { startStackProcess } from '@artist-watch/harness/stack-process';
import { chromium } from 'playwright-core';
import { findChromium } from '../harness/chromium.mjs';

/**
 * One stack and one Chromium for all files: starting them takes longer than most of them. Artists are read seldom, so
 * that the platform's budget is free for what a test makes due.
 */
export default async function globalSetup() {
  // It ends with this process, also where the stack does not start.
  const browser = await chromium.launchServer({ executablePath: findChromium() });
  const stack = await startStackProcess({
    args: ['--seed', 'empty', '--dashboards', '1'],
    env: {
      CONFIRM_OBSERVATIONS: '3',
      // A test makes each reading due, when the page has shown the one before.
      CONFIRM_SPAN: '1s',
      CONFIRM_INTERVAL: '1m',
      POLL_INTERVAL_FACTOR: '0.1',
      // The pauses of a failing receiver scale with the first delay: four first attempts take 5 s, so a retry comes later.
      WEBHOOK_RETRY_DELAYS: '8s,1h,1h,1h,1h',
      WEBHOOK_SWITCH_OFF_AFTER: '4',
      MAIL_GROUP_WAIT: '1s',
    },
  });
  process.env.BROWSER_ENDPOINT = browser.wsEndpoint();
  process.env.BROWSER_STACK = JSON.stringify(await stack.state());
  globalThis.stopBrowserStack = () => Promise.all([stack.stop(), browser.close()]);
}
