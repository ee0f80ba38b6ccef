import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../stage/scene.js';
import { channels } from './casts.js';
import { whileReporting } from './while-reporting.js';

/** Each removed release is a webhook, a Slack message and a Discord message once, and a mail to each member. */
export function everyChannelWhileSendersAreKilled(rounds: number): Scenario {
  return {
    name: `four channels, while workers, mailers and Redis are killed, ${rounds} times`,
    cast: channels,
    mailedMembers: 5,
    play: (scene) =>
      whileReporting(scene, async () => {
        for (let round = 0; round < rounds; round += 1) {
          for (const index of [0, 1]) {
            await sleep(1_500);
            await scene.faults.killReplica('webhookWorker', index);
            await scene.faults.killReplica('dashboard', index);
          }
          await sleep(1_000);
          await scene.faults.killServer('redis');
          await Promise.all([0, 1].map((index) => scene.faults.killReplica('dashboard', index)));
        }
      }),
  };
}
