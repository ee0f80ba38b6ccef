import { availableParallelism } from 'node:os';

/**
 * The project `unit` needs no servers. For `stack`, the global set-up starts one PostgreSQL and one Redis. Tests import
 * other packages from `dist`, and files of the same package from the sources.
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
  // Only stops tests that hang. Tests start real processes, and can be slow on a busy machine.
  testTimeout: 180_000,
  // Two more workers than cores, because many suites mostly wait. With three more, they slow each other down.
  maxWorkers: availableParallelism() + 2,
  testSequencer: '<rootDir>/tests/harness/longest-first.mjs',
  // On a busy machine, a worker with 1 GB of modules takes longer to exit than Jest's default of 500 ms. Jest still reports
  // workers that an open handle keeps alive.
  workerGracefulExitTimeout: 15_000,
  // Suites don't free their modules, so workers above this limit restart.
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
