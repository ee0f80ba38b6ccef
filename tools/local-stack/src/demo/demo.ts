import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { findOnPath } from '../processes/on-path.js';
import type { Environment } from '../stack/environment.js';
import type { StackOptions } from '../stack/options.js';
import { platformControl } from '../stack/platform-control.js';
import { startStack } from '../stack/stack.js';
import { closingWords } from './closing-words.js';
import { startDemoChannels } from './demo-channels.js';
import { demoMember } from './demo-member.js';
import { startDemoReceiver } from './demo-receiver.js';
import { narrator } from './narrator.js';
import { openSuspicionWindow, tellStory } from './story.js';

export interface Demo {
  readonly apiUrl: string;
  stop(): Promise<void>;
}

/** @throws StartError if the system doesn't start or a step times out. By then, everything has been stopped. */
export async function startDemo(
  options: StackOptions,
  given: Environment,
  write: (text: string) => void,
  signal: AbortSignal,
): Promise<Demo> {
  if (given.PLATFORM_URL || options.real)
    throw new StartError('The demo needs its simulated platform. Remove --real and PLATFORM_URL.');
  const environment = withFasterTimes(given);
  const story = narrator(write, () => performance.now());
  story.say('Artist Watch: starting PostgreSQL, Redis, a simulated platform and the five services …');

  const stack = await startStack({ ...options, seed: 'empty' }, { environment, report: story.say, signal });
  const undo: Array<() => Promise<void>> = [() => stack.stop()];
  const stop = async () => {
    for (let step = undo.pop(); step; step = undo.pop()) await step();
  };
  try {
    const receiver = await startDemoReceiver();
    undo.push(() => receiver.close());
    const channels = await startDemoChannels();
    undo.push(() => channels.close());
    const window = openSuspicionWindow(stack.state.databaseUrl);
    undo.push(() => window.close());

    story.event('All services are running.');
    story.say(describePace(environment));
    story.say('');
    const platform = platformControl(stack.state.platformControlUrl ?? '');
    const member = demoMember(stack.state, signal);
    const parts = { stack: stack.state, platform, receiver, channels, member, window, narrator: story, signal };
    const ending = await tellStory(parts);
    story.say(closingWords(stack.state, ending, receiver.url, findOnPath(['curl']) !== undefined));
    story.say('');
    receiver.onWebhook(({ summary, attempt, signatureError }) => {
      story.event(`Webhook (attempt ${attempt}, ${signatureError ?? 'signature valid'}): ${summary}`);
    });
    channels.onMessage(({ platform, text }) => story.event(`Message in ${platform}: ${text.split('\n')[0]}`));
    return { apiUrl: stack.state.apiUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Confirms removals within seconds instead of half an hour. Environment variables override these settings. */
const quickSettings = {
  CONFIRM_OBSERVATIONS: '3',
  CONFIRM_SPAN: '4s',
  CONFIRM_INTERVAL: '2s',
  // Checks every 9 s. With shorter intervals, artists would be overdue whenever the machine is busy.
  POLL_INTERVAL_FACTOR: '0.01',
  MAIL_GROUP_WAIT: '200ms',
} as const;

export function withFasterTimes(environment: Environment): Environment {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return { ...quickSettings, ...Object.fromEntries(given) };
}

export function describePace(environment: Environment): string {
  const { CONFIRM_OBSERVATIONS, CONFIRM_SPAN, CONFIRM_INTERVAL, POLL_INTERVAL_FACTOR } = environment;
  return (
    `The demo runs faster: ${CONFIRM_OBSERVATIONS} observations over ${CONFIRM_SPAN}, one every ${CONFIRM_INTERVAL}, ` +
    'confirm a removal (default CONFIRM_SPAN: 30m). Poll intervals are multiplied by ' +
    `${POLL_INTERVAL_FACTOR} (POLL_INTERVAL_FACTOR).`
  );
}
