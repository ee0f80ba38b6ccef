import { afterAll, beforeAll, describe } from '@jest/globals';
import { type FlappingProxy, proxiesRefusing, startFlappingProxy } from '../scenarios/refusing-proxies.js';
import { testScenarios, useChaosStack } from '../stage/on-stack.js';

describe('proxies of a kind that refuses', () => {
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
