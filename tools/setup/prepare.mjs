import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clientTypes } from './client-types.mjs';
import { withLock } from './lock.mjs';
import { run } from './processes.mjs';
import { root } from './root.mjs';
import { SetupError } from './setup-error.mjs';
import { hashParts, hasStamp, removeStamp, writeStamp } from './stamp.mjs';
import { workspaceDirectories } from './workspace.mjs';

/** Each step needs the results of the previous ones. */
const steps = [
  {
    isDone: arePackagesInstalled,
    act: installPackages,
    message: 'Installing packages (once; this may take a minute) …',
  },
  { isDone: areSourcesGenerated, act: generateSources, message: 'Generating the database client and API types …' },
  { isDone: isCompiled, act: compile, message: 'Compiling …' },
];

/**
 * Runs the missing steps. Concurrent commands wait for the first one.
 * @param {{ quiet: boolean }} options `quiet` hides the progress. Errors are always shown.
 */
export async function prepare({ quiet }) {
  // This check needs no lock, so that commands in a finished checkout run concurrently.
  if (steps.every((step) => step.isDone())) return;
  const say = quiet ? () => undefined : (line) => process.stderr.write(`${line}\n`);
  const state = path.join(root, '.setup');
  try {
    mkdirSync(state, { recursive: true });
  } catch (error) {
    throw new SetupError(`This checkout cannot be set up: ${error.message}.`);
  }
  await withLock(path.join(state, 'lock'), say, async () => {
    for (const step of steps) {
      if (step.isDone()) continue;
      say(step.message);
      await step.act();
    }
  });
}

/** Runs a program of a step, and throws its output if it fails. */
async function runStep(problem, command, args, options) {
  const { failed, output } = await run(command, args, options);
  if (failed) throw new SetupError(`${problem}:\n${output.trimEnd()}`);
}

function readText(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

/** In node_modules, so that deleting the packages deletes the stamp too. */
const installedStamp = path.join(root, 'node_modules', '.artist-watch-installed');

function arePackagesInstalled() {
  return hasStamp(installedStamp, hashOfManifests()) && ['.', ...workspaceDirectories()].every(hasPackages);
}

/** False if the node_modules of this project were deleted. */
function hasPackages(directory) {
  const { dependencies, devDependencies } = JSON.parse(readText(`${directory}/package.json`));
  const needsSome = Object.keys({ ...dependencies, ...devDependencies }).length > 0;
  return !needsSome || existsSync(path.join(root, directory, 'node_modules'));
}

/** Runs the pnpm version that package.json names. */
async function installPackages() {
  const pnpm = `pnpm@${JSON.parse(readText('package.json')).config.pnpm}`;
  // The last option replaces packages of another pnpm version or user without a prompt.
  const args = ['--yes', pnpm, 'install', '--frozen-lockfile', '--config.confirmModulesPurge=false'];
  await runStep(`The packages could not be installed (${pnpm})`, 'npx', args);
  writeStamp(installedStamp, hashOfManifests());
}

function hashOfManifests() {
  const files = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'].concat(
    workspaceDirectories().map((directory) => `${directory}/package.json`),
  );
  return hashParts([process.platform, process.arch, ...files.map((file) => `${file}\n${readText(file)}`)]);
}

const generatedStamp = path.join(root, '.setup', 'generated');
const persistence = 'packages/persistence';
const prisma = `${persistence}/node_modules/prisma`;
const openApiDocument = 'docs/openapi.json';
const apiTypes = path.join(root, 'packages', 'client', 'src', 'generated', 'api.ts');

function areSourcesGenerated() {
  const client = path.join(root, persistence, 'src', 'generated', 'prisma', 'client.ts');
  return existsSync(client) && existsSync(apiTypes) && hasStamp(generatedStamp, hashOfSchemas());
}

/** Generates the database client and the types of packages/client. */
async function generateSources() {
  const program = path.join(root, prisma, 'build', 'index.js');
  await runStep('The database client could not be generated', process.execPath, [program, 'generate'], {
    cwd: path.join(root, persistence),
    env: {
      // Names an existing file, so that Prisma does not download an engine, which the generator doesn't need.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      // Disables Prisma's version check and telemetry.
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
  });
  mkdirSync(path.dirname(apiTypes), { recursive: true });
  writeFileSync(apiTypes, clientTypes(JSON.parse(readText(openApiDocument))));
  writeStamp(generatedStamp, hashOfSchemas());
}

function hashOfSchemas() {
  return hashParts(
    [
      'prisma/schema.prisma',
      `${persistence}/prisma.config.ts`,
      `${prisma}/package.json`,
      openApiDocument,
      'tools/setup/client-types.mjs',
    ].map((file) => (existsSync(path.join(root, file)) ? readText(file) : '')),
  );
}

const compiledStamp = path.join(root, '.setup', 'compiled');
const notSource = new Set(['node_modules', 'dist', '.git']);

function isCompiled() {
  const { references } = JSON.parse(readText('tsconfig.json'));
  return (
    references.every((project) => existsSync(path.join(root, project.path, 'dist', '.tsbuildinfo'))) &&
    hasStamp(compiledStamp, hashOfSources())
  );
}

/** `tsc -b` compiles only changed projects. */
async function compile() {
  const before = hashOfSources();
  removeStamp(compiledStamp);
  await runStep('The sources do not compile', path.join(root, 'node_modules', '.bin', 'tsc'), ['-b']);
  // A file that changes during the compilation is compiled next time.
  writeStamp(compiledStamp, before);
}

/** Hashes sizes and times, because running the compiler takes a hundred times longer. */
function hashOfSources() {
  const files = ['tsconfig.base.json', 'tsconfig.json', ...new Set(workspaceDirectories().flatMap(listSources))];
  return hashParts(
    files.map((file) => {
      const { size, mtimeMs } = statSync(path.join(root, file));
      return `${file} ${size} ${mtimeMs}`;
    }),
  );
}

function listSources(directory) {
  return readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const file = `${directory}/${entry.name}`;
    if (entry.isDirectory()) return notSource.has(entry.name) ? [] : listSources(file);
    return /\.(tsx?|json)$/.test(entry.name) ? [file] : [];
  });
}
