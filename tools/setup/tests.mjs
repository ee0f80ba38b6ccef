import { availableParallelism } from 'node:os';
import path from 'node:path';
import { findChromium } from '../../tests/harness/chromium.mjs';
import { runChecks } from './checks.mjs';
import { runAttached } from './processes.mjs';
import { root } from './root.mjs';

const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');

/**
 * Runs all tests even if a check fails.
 * @param {string[]} args arguments for jest, for example a path
 * @returns {Promise<number>} the exit code
 */
export async function runTests(args) {
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

/** Arguments for jest, by command. */
const suites = {
  // The files mostly wait for the system to recover, so three run at once.
  chaos: ['--selectProjects=chaos', '--maxWorkers=3'],
  // SOAK_ARTISTS (default: 1,000) and SOAK_PLATFORM set the size and the platform.
  soak: ['--selectProjects=stack', '--testPathPatterns=change-ingest/soak'],
  // The benchmarks mostly wait for their processes, so several run at once.
  'bench-quickly': ['--selectProjects=bench', `--maxConcurrency=${availableParallelism() + 2}`],
  browser: ['--selectProjects=browser', '--maxWorkers=1', '--verbose'],
  k8s: ['--selectProjects=k8s', '--maxWorkers=100%', '--verbose'],
  // OPENAPI_SEED and OPENAPI_EXAMPLES configure schemathesis. A test is skipped if its language is not installed.
  'test-openapi': ['--selectProjects=openapi', '--maxWorkers=1', '--verbose'],
  screenshots: ['--selectProjects=screenshots'],
};

/** Each suite has its own command, which accepts more arguments for jest and returns the exit code. */
export const suiteCommands = Object.fromEntries(
  Object.keys(suites).map((name) => [name, { run: (/** @type {string[]} */ args) => runSuite(name, args) }]),
);

async function runSuite(name, args) {
  if (name === 'soak') process.env.SOAK_ARTISTS ??= '1000';
  if (name === 'browser' && !findChromium()) {
    process.stderr.write(
      'The browser suite is skipped, because Chromium is not on the PATH (on Debian: apt-get install chromium).\n',
    );
    return 0;
  }
  if (name === 'k8s') {
    // Builds a real control plane. Without Go, the script prints a message, and the tests are skipped.
    const built = await runAttached(path.join(root, 'tests', 'kubernetes', 'build.sh'), []);
    if (built !== 0) return built;
  }
  return runJest([...suites[name], ...args]);
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
