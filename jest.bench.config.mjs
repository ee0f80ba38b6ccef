import config from './jest.config.mjs';

const stack = config.projects.find(({ displayName }) => displayName === 'stack');

/** `pnpm test:bench`: each benchmark once in its quick form, which shows that it works and measures what it says. */
export default {
  ...config,
  projects: [
    {
      ...stack,
      displayName: 'bench',
      testMatch: ['<rootDir>/tools/bench/src/**/*.quick.ts'],
    },
  ],
};
