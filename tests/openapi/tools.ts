import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../contract/k8s/find-program.js';

/** Third-party generators in the supported versions. */
const PYTHON = ['schemathesis==4.32.0', 'openapi-python-client==0.29.1'];
const GO = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const NODE = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];

const cache = path.join(homedir(), '.cache', 'artist-watch', 'openapi');
const exec = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

/** @throws Error with the output if the exit code is not 0. */
export async function run(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout, stderr } = await exec(program, [...args], options).catch((error) => {
    throw new Error(`${path.basename(program)} failed:\n${error.stdout}\n${error.stderr}`);
  });
  return `${stdout}${stderr}`;
}

/** Undefined if Python's programs cannot be installed. */
export function pythonTools(): Promise<string | undefined> {
  return installed('Python', 'python3', PYTHON, async (python, directory) => {
    await run(python, ['-m', 'venv', directory], { cwd: cache });
    await run(path.join(directory, 'bin', 'pip'), ['install', '--quiet', ...PYTHON], { cwd: directory });
  });
}

export function goTools(): Promise<string | undefined> {
  return installed('Go', 'go', [GO], async (go, directory) => {
    await run(go, ['install', GO], { cwd: directory, env: { GOBIN: directory, CGO_ENABLED: '0' } });
  });
}

/** The directory's node_modules contains openapi-typescript and a TypeScript with the API that it needs. */
export function nodeTools(): Promise<string | undefined> {
  return installed('npm', 'npm', NODE, async (npm, directory) => {
    await run(npm, ['install', '--no-audit', '--no-fund', '--prefix', directory, ...NODE], { cwd: directory });
  });
}

async function installed(
  name: string,
  program: string,
  versions: readonly string[],
  install: (program: string, directory: string) => Promise<unknown>,
): Promise<string | undefined> {
  const directory = path.join(cache, versions.join('+').replaceAll(/[^\w.@+-]+/g, '-'));
  if (existsSync(path.join(directory, 'complete'))) return directory;
  const found = findProgram(program);
  if (found === undefined) {
    process.stderr.write(`Skipped: ${program} is not on the PATH, so the checks with ${name} do not run.\n`);
    return undefined;
  }
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  try {
    await install(found, directory);
    await writeFile(path.join(directory, 'complete'), '');
  } catch (error) {
    process.stderr.write(`Skipped: ${versions.join(', ')} cannot be installed. ${(error as Error).message}\n`);
    return undefined;
  }
  return directory;
}
