import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './processes.mjs';
import { root } from './root.mjs';
import { SetupError } from './setup-error.mjs';
import { hashParts, hasStamp, writeStamp } from './stamp.mjs';
import { workspaceDirectories } from './workspace.mjs';

/** In node_modules, so that deleting the packages deletes the stamp too. */
const stamp = path.join(root, 'node_modules', '.artist-watch-installed');

export function arePackagesInstalled() {
  return hasStamp(stamp, fingerprint()) && ['.', ...workspaceDirectories()].every(hasPackages);
}

/** False if the node_modules of this project were deleted. */
function hasPackages(directory) {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(path.join(root, directory, 'package.json'), 'utf8'),
  );
  const needsSome = Object.keys({ ...dependencies, ...devDependencies }).length > 0;
  return !needsSome || existsSync(path.join(root, directory, 'node_modules'));
}

/** Runs the pnpm version that package.json names. */
export async function installPackages() {
  const pnpm = `pnpm@${pinnedPnpmVersion()}`;
  const installed = await run('npx', [
    '--yes',
    pnpm,
    'install',
    '--frozen-lockfile',
    // Replaces packages of another pnpm version or user without a prompt.
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
  return hashParts([process.platform, process.arch, ...contents]);
}
