import { everyChannelWhileSendersAreKilled } from '../scenarios/channels.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

testScenarios(useChaosStack(), [everyChannelWhileSendersAreKilled(4)]);
