import config from './jest.config.mjs';

const stack = config.projects.find(({ displayName }) => displayName === 'stack');

/** `pnpm test:bench`: each benchmark once in its quick form, which shows that it works and measures what it says. */
export default {
  ...config,
  // All are tests of one file, which mostly waits for their processes.
  maxConcurrency: config.maxWorkers,
  projects: [
    {
      ...stack,
      displayName: 'bench',
      testMatch: ['<rootDir>/tools/bench/src/every-bench.quick.ts'],
    },
  ],
};
