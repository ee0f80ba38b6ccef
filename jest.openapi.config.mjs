import config from './jest.config.mjs';

const unit = config.projects.find(({ displayName }) => displayName === 'unit');

/** `pnpm test:openapi`: generates clients from docs/openapi.json and checks a running API against it. */
export default {
  ...config,
  verbose: true,
  maxWorkers: 1,
  projects: [{ ...unit, displayName: 'openapi', testMatch: ['<rootDir>/tests/openapi/*.openapi.ts'] }],
};
