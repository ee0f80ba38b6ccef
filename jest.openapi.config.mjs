import config from './jest.config.mjs';

const unit = config.projects.find(({ displayName }) => displayName === 'unit');

/** `pnpm test:openapi`: what programs of others make of docs/openapi.json, and whether a running API is as it says. */
export default {
  ...config,
  verbose: true,
  maxWorkers: 1,
  projects: [{ ...unit, displayName: 'openapi', testMatch: ['<rootDir>/tests/openapi/*.openapi.ts'] }],
};
