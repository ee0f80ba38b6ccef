import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectReaction, type ScriptedProxy, startScriptedProxy } from '@artist-watch/harness/scripted-proxy';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { underLoad } from '../scenarios/under-load.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';
import type { Scenario } from '../stage/scene.js';

const moods: readonly ConnectReaction[] = [
  'silent',
  'reset',
  { status: 503 },
  { status: 429 },
  { status: 407 },
  { status: 202 },
  { status: 500, headers: { 'Content-Type': 'text/html' }, body: '<html>oops</html>' },
  { status: 503, headers: { 'X-Egress-Error': 'overloaded' } },
];
const moodMs = 700;

interface FlappingProxy {
  readonly url: string;
  reactWith(reaction: ConnectReaction): void;
  dieFor(durationMs: number): Promise<void>;
  close(): Promise<void>;
}

async function startFlappingProxy(): Promise<FlappingProxy> {
  let proxy: ScriptedProxy = await startScriptedProxy();
  const { url, port } = proxy;
  return {
    url,
    reactWith: (reaction) => proxy.reactWith(reaction),
    async dieFor(durationMs) {
      await proxy.close();
      await sleep(durationMs);
      proxy = await startScriptedProxy('tunnel', port);
    },
    close: () => proxy.close(),
  };
}

/** One or both proxies are down, or refuse in every way that a proxy can. */
function proxiesRefusing(open: () => readonly FlappingProxy[], rounds: number): Scenario {
  return underLoad(`proxies that refuse in ${moods.length} ways and disappear, ${rounds} times`, async (scene) => {
    const proxies = open();
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, mood] of moods.entries()) {
        const one = proxies[index % 2] as FlappingProxy;
        const other = proxies[(index + 1) % 2] as FlappingProxy;
        one.reactWith(mood);
        await sleep(moodMs);
        other.reactWith(mood);
        await scene.faults.suffer({
          what: 'both proxies refuse',
          effects: ['outage'],
          begin: () => true,
          lasts: () => sleep(moodMs),
        });
        one.reactWith('tunnel');
        other.reactWith('tunnel');
        await scene.faults.suffer({
          what: 'a proxy is gone',
          effects: ['handover'],
          begin: () => true,
          lasts: () => one.dieFor(moodMs),
        });
      }
    }
  });
}

describe('scripted proxies', () => {
  const proxies: FlappingProxy[] = [];
  beforeAll(async () => {
    proxies.push(await startFlappingProxy(), await startFlappingProxy());
  });
  afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())));

  testScenarios(
    useChaosStack(() => ({ EGRESS_PROXY_URLS: proxies.map(({ url }) => url).join(',') })),
    [proxiesRefusing(() => proxies, 1)],
  );
});
