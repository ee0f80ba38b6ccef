import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './processes.mjs';
import { root } from './root.mjs';
import { SetupError } from './setup-error.mjs';
import { fingerprintOf, hasStamp, writeStamp } from './stamp.mjs';
import { workspaceDirectories } from './workspace.mjs';

/** Inside node_modules, so that it goes when they go. */
const stamp = path.join(root, 'node_modules', '.artist-watch-installed');

export function arePackagesInstalled() {
  return hasStamp(stamp, fingerprint()) && ['.', ...workspaceDirectories()].every(hasItsPackages);
}

/** Somebody may have removed the packages of one project alone. */
function hasItsPackages(directory) {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(path.join(root, directory, 'package.json'), 'utf8'),
  );
  const needsSome = Object.keys({ ...dependencies, ...devDependencies }).length > 0;
  return !needsSome || existsSync(path.join(root, directory, 'node_modules'));
}

/** Installs exactly what the lockfile says, with the pnpm that package.json names. */
export async function installPackages() {
  const pnpm = `pnpm@${pinnedPnpmVersion()}`;
  const installed = await run('npx', [
    '--yes',
    pnpm,
    'install',
    '--frozen-lockfile',
    // Packages that another pnpm or another user installed are replaced without a question.
    '--config.confirmModulesPurge=false',
  ]);
  if (installed.failed) {
    throw new SetupError(`The packages could not be installed (${pnpm}):\n${installed.output.trimEnd()}`);
  }
  writeStamp(stamp, fingerprint());
}

function pinnedPnpmVersion() {
  return JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).config.pnpm;
}

function fingerprint() {
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'].concat(
    workspaceDirectories().map((directory) => `${directory}/package.json`),
  );
  const contents = files.map((file) => `${file}\n${readFileSync(path.join(root, file), 'utf8')}`);
  return fingerprintOf([process.platform, process.arch, ...contents]);
}
