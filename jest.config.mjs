import { availableParallelism } from 'node:os';

/**
 * Two projects: `unit` needs nothing; `stack` runs on an embedded PostgreSQL and a real Redis that its global set-up
 * starts once. Packages are imported from their build (`dist`), a package's own files from their source.
 */
const swc = (jsc) => ({ jsc: { target: 'es2022', ...jsc }, module: { type: 'es6' }, sourceMaps: 'inline' });

const shared = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'cjs', 'json', 'node'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': ['@swc/jest', swc({ parser: { syntax: 'typescript' } })],
    '^.+\\.tsx$': [
      '@swc/jest',
      swc({
        parser: { syntax: 'typescript', tsx: true },
        transform: { react: { runtime: 'automatic', importSource: 'preact' } },
      }),
    ],
  },
  modulePathIgnorePatterns: ['/dist/'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
};

export default {
  // A guard against what hangs, not a claim about speed: machines are shared, and real processes take their time.
  testTimeout: 180_000,
  // Two more than cores, because many suites mostly wait. With three more, the suites slow each other down.
  maxWorkers: availableParallelism() + 2,
  testSequencer: '<rootDir>/tests/harness/longest-first.mjs',
  // A worker with 1 GB of modules takes longer to end than Jest's 500 ms on a busy machine. One that a handle keeps does not
  // end at all, and Jest says so then.
  workerGracefulExitTimeout: 15_000,
  // Each suite leaves its modules behind.
  workerIdleMemoryLimit: '1GB',
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{packages,services,tools}/**/src/**/*.test.ts'],
      testPathIgnorePatterns: [...shared.testPathIgnorePatterns, '\\.stack\\.test\\.ts$'],
    },
    {
      ...shared,
      displayName: 'stack',
      testEnvironment: '<rootDir>/tests/harness/suite-environment.mjs',
      testMatch: ['<rootDir>/tests/**/*.test.ts', '<rootDir>/{packages,services,tools}/**/src/**/*.stack.test.ts'],
      globalSetup: '<rootDir>/tests/harness/global-setup.mjs',
      globalTeardown: '<rootDir>/tests/harness/global-teardown.mjs',
    },
  ],
};
