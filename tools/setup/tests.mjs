import path from 'node:path';
import { findChromium } from '../../tests/harness/chromium.mjs';
import { runChecks } from './checks.mjs';
import { followParent } from './follow-parent.mjs';
import { runAttached } from './processes.mjs';
import { root } from './root.mjs';

const jest = path.join(root, 'node_modules', 'jest', 'bin', 'jest.js');

/**
 * The checks, then every test; what jest says comes last. Tests run even where a check fails, since both are wanted
 * to know what is wrong.
 *
 * @param {string[]} args for jest, for example a path
 * @returns {Promise<number>} the exit code
 */
export async function runTests(args) {
  followParent();
  const checked = await runChecks();
  const tested = await runJest(args);
  if (tested === 0 && checked !== 0)
    process.stderr.write('The tests passed, but a check failed; see above the tests.\n');
  return tested === 0 ? checked : tested;
}

/**
 * The long form of the chaos suite.
 *
 * @param {string[]} args for jest, for example a file's name
 * @returns {Promise<number>} the exit code
 */
export function runChaos(args) {
  followParent();
  return runJest(['--config', path.join(root, 'jest.chaos.config.mjs'), ...args]);
}

/**
 * Each benchmark once in its quick form.
 *
 * @param {string[]} args for jest, for example `-t 'quick run of api '`
 * @returns {Promise<number>} the exit code
 */
export function runBenchmarksQuickly(args) {
  followParent();
  return runJest(['--config', path.join(root, 'jest.bench.config.mjs'), ...args]);
}

/**
 * A thousand artists on a platform with every quirk (SOAK_ARTISTS, SOAK_PLATFORM); prints what came of it.
 *
 * @param {string[]} args for jest, for example `-t 'no real change'`
 * @returns {Promise<number>} the exit code
 */
export function runSoak(args) {
  followParent();
  process.env.SOAK_ARTISTS ??= '1000';
  return runJest(['--selectProjects=stack', '--testPathPatterns=change-ingest/soak', ...args]);
}

/**
 * The manifests and the runbooks on a real control plane, which is built first; without Go it says so, and skips them.
 *
 * @param {string[]} args for jest
 * @returns {Promise<number>} the exit code
 */
export async function runOnKubernetes(args) {
  followParent();
  const built = await runAttached(path.join(root, 'tests', 'kubernetes', 'build.sh'), []);
  return built === 0 ? runJest(['--config', path.join(root, 'jest.k8s.config.mjs'), ...args]) : built;
}

/**
 * The dashboard in a real Chromium; where the machine has none it says so, and skips the suite.
 *
 * @param {string[]} args for jest
 * @returns {Promise<number>} the exit code
 */
export async function runInBrowser(args) {
  followParent();
  if (findChromium()) return runJest(['--config', path.join(root, 'jest.browser.config.mjs'), ...args]);
  process.stderr.write(
    'The browser suite is skipped: no Chromium on the PATH (on Debian: apt-get install chromium).\n',
  );
  return 0;
}

/**
 * What programs of others make of docs/openapi.json, and schemathesis on a running stack (OPENAPI_SEED, OPENAPI_EXAMPLES);
 * each is skipped with a sentence where its language is not there.
 *
 * @param {string[]} args for jest, for example a file's name
 * @returns {Promise<number>} the exit code
 */
export function runOpenApi(args) {
  followParent();
  return runJest(['--config', path.join(root, 'jest.openapi.config.mjs'), ...args]);
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
