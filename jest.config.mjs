import { availableParallelism } from 'node:os';

/**
 * `npm test` runs the projects `unit`, which needs no servers, and `stack`, which runs on an embedded PostgreSQL and a real
 * Redis. Every other project has its own command (tools/setup/tests.mjs). Tests import other packages from their build
 * (`dist`) and files of their own package from the source.
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

const servers = {
  globalSetup: '<rootDir>/tests/harness/global-setup.mjs',
  globalTeardown: '<rootDir>/tests/harness/global-teardown.mjs',
};

const suiteEnvironment = '<rootDir>/tests/harness/suite-environment.mjs';

export default {
  // Ends a test that hangs. It is long, because real processes take their time on a shared machine.
  testTimeout: 180_000,
  // Two more than cores, because many suites mostly wait. With three more, the suites slow each other down.
  maxWorkers: availableParallelism() + 2,
  testSequencer: '<rootDir>/tests/harness/longest-first.mjs',
  // On a busy machine, a worker with 1 GB of modules takes longer to exit than Jest's default of 500 ms. Jest reports
  // workers that do not exit.
  workerGracefulExitTimeout: 15_000,
  // Each suite leaves its modules in memory.
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
      ...servers,
      displayName: 'stack',
      testEnvironment: suiteEnvironment,
      testMatch: ['<rootDir>/tests/**/*.test.ts', '<rootDir>/{packages,services,tools}/**/src/**/*.stack.test.ts'],
    },
    {
      ...shared,
      displayName: 'browser',
      testMatch: ['<rootDir>/tests/browser/*.browser.ts'],
      globalSetup: '<rootDir>/tests/browser/setup.mjs',
      globalTeardown: '<rootDir>/tests/browser/teardown.mjs',
    },
    {
      ...shared,
      ...servers,
      displayName: 'screenshots',
      testEnvironment: suiteEnvironment,
      testMatch: ['<rootDir>/tests/browser/screenshots.ts'],
    },
    {
      ...shared,
      ...servers,
      displayName: 'bench',
      testEnvironment: suiteEnvironment,
      testMatch: ['<rootDir>/tools/bench/src/every-bench.quick.ts'],
    },
    {
      ...shared,
      displayName: 'chaos',
      // Each file starts its own servers, so that it can kill them.
      testEnvironment: suiteEnvironment,
      testMatch: ['<rootDir>/tests/chaos/long/*.chaos.ts'],
    },
    { ...shared, displayName: 'k8s', testMatch: ['<rootDir>/tests/kubernetes/*.k8s.ts'] },
    { ...shared, displayName: 'openapi', testMatch: ['<rootDir>/tests/openapi/*.openapi.ts'] },
  ],
};
