import { setTimeout as sleep } from 'node:timers/promises';
import { channels, underLoad } from '../scenarios/under-load.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

const rounds = 4;

/** Each removed release must cause one message per channel, and one email per member. */
const senders = underLoad(
  `four channels while workers, mailers and Redis are killed, ${rounds} times`,
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

testScenarios(useChaosStack(), [{ ...senders, mailedMembers: 5 }]);
