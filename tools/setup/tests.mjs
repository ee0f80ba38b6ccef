import { availableParallelism } from 'node:os';
import path from 'node:path';
import { findChromium } from '../../tests/harness/chromium.mjs';
import { runChecks } from './checks.mjs';
import { followParent } from './follow-parent.mjs';
import { runAttached } from './processes.mjs';
import { root } from './root.mjs';

const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');

/**
 * Runs all tests even if a check fails.
 * @param {string[]} args arguments for jest, for example a path
 * @returns {Promise<number>} the exit code
 */
export async function runTests(args) {
  followParent();
  const checked = await runChecks();
  const isProjectSelected = args.some((arg) => arg.startsWith('--selectProjects'));
  const tested = await runJest([
    ...(isProjectSelected ? [] : ['--selectProjects=unit', '--selectProjects=stack']),
    ...args,
  ]);
  if (tested === 0 && checked !== 0)
    process.stderr.write('The tests passed, but a check failed. See the output above the tests.\n');
  return tested === 0 ? checked : tested;
}

/**
 * Runs the long form of the chaos suite. The files mostly wait for the system to recover, so three run at once.
 *
 * @param {string[]} args arguments for jest, for example a file's name
 * @returns {Promise<number>} the exit code
 */
export function runChaos(args) {
  followParent();
  return runProject('chaos', ['--maxWorkers=3', ...args]);
}

/**
 * Runs each benchmark once in its quick form. The benchmarks mostly wait for their processes, so several run at once.
 *
 * @param {string[]} args arguments for jest, for example `-t 'quick run of api '`
 * @returns {Promise<number>} the exit code
 */
export function runBenchmarksQuickly(args) {
  followParent();
  return runProject('bench', [`--maxConcurrency=${availableParallelism() + 2}`, ...args]);
}

/**
 * SOAK_ARTISTS (default: 1,000) and SOAK_PLATFORM set the size and platform.
 * @param {string[]} args arguments for jest, for example `-t 'no real change'`
 * @returns {Promise<number>} the exit code
 */
export function runSoak(args) {
  followParent();
  process.env.SOAK_ARTISTS ??= '1000';
  return runProject('stack', ['--testPathPatterns=change-ingest/soak', ...args]);
}

/**
 * Builds a real control plane first. Prints a message and skips the tests if Go is not installed.
 * @param {string[]} args arguments for jest
 * @returns {Promise<number>} the exit code
 */
export async function runOnKubernetes(args) {
  followParent();
  const built = await runAttached(path.join(root, 'tests', 'kubernetes', 'build.sh'), []);
  return built === 0 ? runProject('k8s', ['--maxWorkers=100%', '--verbose', ...args]) : built;
}

/**
 * Prints a message and skips the tests if Chromium is not installed.
 * @param {string[]} args arguments for jest
 * @returns {Promise<number>} the exit code
 */
export async function runInBrowser(args) {
  followParent();
  if (findChromium()) return runProject('browser', ['--maxWorkers=1', '--verbose', ...args]);
  process.stderr.write(
    'The browser suite is skipped, because Chromium is not on the PATH (on Debian: apt-get install chromium).\n',
  );
  return 0;
}

/**
 * Takes the README's screenshots. Text has the system's sans-serif font.
 * @param {string[]} args arguments for jest
 * @returns {Promise<number>} the exit code
 */
export function takeScreenshots(args) {
  followParent();
  return runProject('screenshots', args);
}

/**
 * Runs client generators and schemathesis (OPENAPI_SEED, OPENAPI_EXAMPLES). A test is skipped if its language is not
 * installed.
 * @param {string[]} args arguments for jest, for example a file's name
 * @returns {Promise<number>} the exit code
 */
export function runOpenApi(args) {
  followParent();
  return runProject('openapi', ['--maxWorkers=1', '--verbose', ...args]);
}

/**
 * @param {string} project a project of jest.config.mjs
 * @param {string[]} args
 */
function runProject(project, args) {
  return runJest([`--selectProjects=${project}`, ...args]);
}

/** @param {string[]} args */
function runJest(args) {
  return runAttached(process.execPath, [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    jest,
    ...args,
  ]);
}
