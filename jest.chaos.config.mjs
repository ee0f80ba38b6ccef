import config from './jest.config.mjs';

const stack = config.projects.find(({ displayName }) => displayName === 'stack');

/**
 * `pnpm test:chaos`: the long form of the chaos suite. Each file has its own stack. Most of the time is spent waiting for
 * the system to recover from a fault, so several stacks can easily share a machine.
 */
export default {
  ...config,
  maxWorkers: 3,
  projects: [
    {
      ...stack,
      displayName: 'chaos',
      testMatch: ['<rootDir>/tests/chaos/long/*.chaos.ts'],
      // Each file starts its own servers, so that it can kill them.
      globalSetup: undefined,
      globalTeardown: undefined,
    },
  ],
};
