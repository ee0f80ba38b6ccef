import { openDatabase } from '@artist-watch/persistence/database/database';
import { databaseUrl, httpUrl, port, readSettings } from '@artist-watch/runtime/settings/settings';
import { z } from 'zod';
import type { Environment } from '../stack/environment.js';
import { platformControl } from '../stack/platform-control.js';
import { seedAccount } from '../stack/seed.js';
import { startDemoReceiver } from './demo-receiver.js';
import { narrator } from './narrator.js';
import { openSuspicionWindow, tellStory } from './story.js';

const shape = {
  DATABASE_URL: databaseUrl(),
  API_URL: httpUrl(),
  API_PUBLIC_URL: httpUrl(),
  PLATFORM_CONTROL_URL: httpUrl(),
  /** The host name that the egress proxies use to reach this process. */
  RECEIVER_HOST: z.string(),
  RECEIVER_PORT: port().prefault('9000'),
} as const;

export interface Visit {
  readonly receiverUrl: string;
  stop(): Promise<void>;
}

/**
 * Runs the demo against a running system and keeps receiving webhooks.
 * @throws SettingsError, or StartError if a step times out.
 */
export async function visitRunningSystem(
  environment: Environment,
  write: (text: string) => void,
  signal: AbortSignal,
): Promise<Visit> {
  const settings = readSettings(shape, environment);
  const story = narrator(write, () => performance.now());
  const account = await createAccount(settings.DATABASE_URL);
  const stack = { apiUrl: settings.API_URL, apiKey: account.apiKey };

  const address = { host: '0.0.0.0', port: settings.RECEIVER_PORT, publicHost: settings.RECEIVER_HOST };
  const receiver = await startDemoReceiver(address);
  const window = openSuspicionWindow(settings.DATABASE_URL);
  try {
    const platform = platformControl(settings.PLATFORM_CONTROL_URL);
    await tellStory({ stack, platform, receiver, window, narrator: story, signal });
  } catch (error) {
    await receiver.close();
    throw error;
  } finally {
    await window.close();
  }
  story.say(`\n  API      ${settings.API_PUBLIC_URL}\n  API key  ${account.apiKey}\n\nTo try:\n`);
  story.say(`  curl -s -H "Authorization: Bearer ${account.apiKey}" ${settings.API_PUBLIC_URL}/changes\n`);
  receiver.onWebhook(({ summary, attempt, signatureError }) => {
    story.event(`Webhook (attempt ${attempt}, ${signatureError ?? 'signature valid'}): ${summary}`);
  });
  return { receiverUrl: receiver.url, stop: () => receiver.close() };
}

async function createAccount(url: string) {
  const database = openDatabase({ url, poolSize: 1, applicationName: 'demo' });
  try {
    return await seedAccount(database, undefined);
  } finally {
    await database.close();
  }
}
