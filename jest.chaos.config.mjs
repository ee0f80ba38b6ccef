import config from './jest.config.mjs';

const stack = config.projects.find(({ displayName }) => displayName === 'stack');

/**
 * `pnpm test:chaos`: the long form of the chaos suite, each file on a stack of its own. Most of the time is spent on
 * waiting for what a fault leaves behind, so several stacks share a machine well.
 */
export default {
  ...config,
  maxWorkers: 3,
  projects: [
    {
      ...stack,
      displayName: 'chaos',
      testMatch: ['<rootDir>/tests/chaos/long/*.chaos.ts'],
      // Each file has servers of its own to kill.
      globalSetup: undefined,
      globalTeardown: undefined,
    },
  ],
};
