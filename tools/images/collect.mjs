#!/usr/bin/env node
/*
 * `node tools/images/collect.mjs PROJECT DIRECTORY` copies the files that a program needs at run time out of a built
 * checkout, with the same layout. The Dockerfile builds images from the copies, and tests start programs from them.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from '../setup/root.mjs';
import { workspaceDirectories } from '../setup/workspace.mjs';
import { filesBelow, neededProjects } from './projects.mjs';
import { isLoaded, pruneInstalled, pruneQueryCompilers } from './prune.mjs';

const workspaceFiles = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'];
/** Files that only pnpm uses. The paths and times in them would make every build different. */
const installationRecords = [
  'node_modules/.modules.yaml',
  'node_modules/.pnpm-workspace-state-v1.json',
  'node_modules/.pnpm/lock.yaml',
];
const persistence = 'packages/persistence';
const receivers = 'docs/receivers/examples';

const [project, directory] = process.argv.slice(2);
if (!project || !directory) throw new Error('Usage: node tools/images/collect.mjs PROJECT DIRECTORY');
const target = path.resolve(directory);
if (existsSync(target) && readdirSync(target).length > 0) throw new Error(`${target} is not empty.`);

const projects = neededProjects(project);
installProductionDependencies();
for (const each of projects) copyBuild(each);
if (projects.includes(persistence)) {
  // migrate.ts reads the migrations from this path, relative to its build.
  cpSync(path.join(root, 'prisma'), path.join(target, 'prisma'), { recursive: true });
  pruneQueryCompilers(store(), path.join(target, persistence, 'dist', 'generated'));
}
if (projects.includes('services/dashboard')) {
  // The dashboard shows these examples with a new signing secret.
  cpSync(path.join(root, receivers), path.join(target, receivers), { recursive: true });
}
pruneInstalled(store());

function store() {
  return path.join(target, 'node_modules', '.pnpm');
}

/**
 * Installs the packages of the lockfile. Optional packages are native builds, such as PostgreSQL's, that the programs
 * don't need. Without them, the same files run on every architecture.
 */
function installProductionDependencies() {
  mkdirSync(target, { recursive: true });
  const manifests = workspaceDirectories().map((each) => path.join(each, 'package.json'));
  for (const file of [...workspaceFiles, ...manifests]) cpSync(path.join(root, file), path.join(target, file));
  const { config } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const { status, stdout, stderr } = spawnSync(
    'npx',
    [
      '--yes',
      `pnpm@${config.pnpm}`,
      'install',
      '--prod',
      '--no-optional',
      '--frozen-lockfile',
      '--prefer-offline',
    ].concat(['--ignore-scripts', '--filter-prod', `${project}...`]),
    { cwd: target, encoding: 'utf8', env: { ...process.env, CI: 'true' } },
  );
  if (status !== 0) throw new Error(`The packages could not be installed:\n${stdout}${stderr}`);
  for (const file of [...workspaceFiles, ...installationRecords]) rmSync(path.join(target, file), { force: true });
  for (const each of workspaceDirectories()) {
    if (!projects.includes(each)) rmSync(path.join(target, each), { recursive: true, force: true });
  }
  for (const parent of new Set(workspaceDirectories().map((each) => each.split('/')[0]))) {
    const parentDirectory = path.join(target, parent);
    if (existsSync(parentDirectory) && readdirSync(parentDirectory).length === 0)
      rmSync(parentDirectory, { recursive: true });
  }
}

function copyBuild(each) {
  const build = path.join(root, each, 'dist');
  for (const file of filesBelow(build).filter(isLoaded))
    cpSync(path.join(build, file), path.join(target, each, 'dist', file));
  const assets = path.join(root, each, 'assets');
  if (existsSync(assets)) cpSync(assets, path.join(target, each, 'assets'), { recursive: true });
}
