import config from './jest.config.mjs';

const unit = config.projects.find(({ displayName }) => displayName === 'unit');

/** `pnpm test:browser`: the dashboard in a real Chromium, on one whole stack that all files use one after the other. */
export default {
  ...config,
  verbose: true,
  maxWorkers: 1,
  projects: [
    {
      ...unit,
      displayName: 'browser',
      testMatch: ['<rootDir>/tests/browser/*.browser.ts'],
      globalSetup: '<rootDir>/tests/browser/setup.mjs',
      globalTeardown: '<rootDir>/tests/browser/teardown.mjs',
    },
  ],
};
