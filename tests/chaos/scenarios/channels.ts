import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '../stage/scene.js';
import { channels, underLoad } from './under-load.js';

/** Each removed release is a webhook, a Slack message and a Discord message once, and a mail to each member. */
export function everyChannelWhileSendersAreKilled(rounds: number): Scenario {
  const name = `four channels, while workers, mailers and Redis are killed, ${rounds} times`;
  const play = underLoad(
    name,
    async ({ faults }) => {
      for (let round = 0; round < rounds; round += 1) {
        for (const index of [0, 1]) {
          await sleep(1_500);
          await faults.killReplica('webhookWorker', index);
          await faults.killReplica('dashboard', index);
        }
        await sleep(1_000);
        await faults.killServer('redis');
        await Promise.all([0, 1].map((index) => faults.killReplica('dashboard', index)));
      }
    },
    channels,
  );
  return { ...play, mailedMembers: 5 };
}
