import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { RedisProgram, Report } from './redis-program.js';

const run = promisify(execFile);
const aptTimeoutMs = 300_000;
const sourcesDirectory = '/etc/apt/sources.list.d';

/** Only these package sources are used, because others may be slow or unavailable. */
const distributionSources = /^(debian|ubuntu|raspbian|raspi)\b.*\.(sources|list)$/;

/**
 * Downloads Redis with apt and unpacks it into the user's cache. Doesn't need root or change the system.
 * @returns undefined if apt is missing or the packages cannot be downloaded.
 */
export async function redisFromDebianPackages(
  packageNames: readonly string[],
  report: Report,
): Promise<RedisProgram | undefined> {
  if (!(await exists('/usr/bin/apt-get')) || !(await exists('/usr/bin/dpkg-deb'))) return undefined;
  const cache = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'artist-watch');
  const cached = await cachedProgram(cache, packageNames);
  if (cached) return cached;

  const work = await mkdtemp(path.join(tmpdir(), 'artist-watch-apt-'));
  try {
    report('Redis is not installed. Downloading its packages to the cache, without installing them …');
    const apt = await privateApt(work);
    // Even if one source fails, another may have the package.
    await apt(['update']).catch(() => undefined);
    for (const name of packageNames) {
      const downloaded = await apt(['install', '-y', '--no-install-recommends', '--download-only', name]).then(
        () => true,
        () => false,
      );
      if (downloaded) {
        await unpack(path.join(work, 'cache', 'archives'), work, cache, name);
        return await cachedProgram(cache, [name]);
      }
    }
    return undefined;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function privateApt(work: string): Promise<(args: readonly string[]) => Promise<unknown>> {
  const sources = path.join(work, 'sources');
  const options = [
    `Dir::State::Lists=${path.join(work, 'lists')}`,
    `Dir::Cache=${path.join(work, 'cache')}`,
    'Debug::NoLocking=true',
    // When run as root, apt would download as a different user, who can't write to this directory.
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
    'Acquire::Retries=2',
    'Acquire::http::Timeout=20',
    'Acquire::https::Timeout=20',
  ];
  await mkdir(path.join(work, 'lists', 'partial'), { recursive: true });
  await mkdir(path.join(work, 'cache', 'archives', 'partial'), { recursive: true });
  await mkdir(sources);
  const files = (await readdir(sourcesDirectory).catch(() => [])).filter((file) => distributionSources.test(file));
  if (files.length > 0) {
    for (const file of files) await copyFile(path.join(sourcesDirectory, file), path.join(sources, file));
    options.push(`Dir::Etc::SourceParts=${sources}`);
  } else if (await exists('/etc/apt/sources.list')) {
    options.push(`Dir::Etc::SourceParts=${sources}`);
  }
  const fixed = options.flatMap((option) => ['-o', option]);
  return (args) =>
    run('apt-get', [...fixed, '-qq', ...args], {
      timeout: aptTimeoutMs,
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
    });
}

/** Atomically moves the unpacked tree into the cache as NAME-VERSION. */
async function unpack(archives: string, work: string, cache: string, name: string): Promise<void> {
  const files = (await readdir(archives)).filter((file) => file.endsWith('.deb'));
  const tree = path.join(work, 'tree');
  for (const file of files) await run('dpkg-deb', ['--extract', path.join(archives, file), tree]);
  const version = files.find((file) => file.startsWith(`${name}_`))?.split('_')[1] ?? 'unknown';

  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(path.join(cache, 'unfinished-'));
  try {
    // Renaming fails if the temporary directory is on another file system.
    await run('cp', ['-a', tree, unfinished]);
    const cached = path.join(cache, `${name}-${decodeURIComponent(version).replace(/^\d+:/, '')}`);
    // Another process may have cached the same package.
    await rename(path.join(unfinished, 'tree'), cached).catch(() => undefined);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function cachedProgram(cache: string, packageNames: readonly string[]): Promise<RedisProgram | undefined> {
  const entries = await readdir(cache).catch(() => []);
  for (const name of packageNames) {
    for (const entry of entries.filter((candidate) => candidate.startsWith(`${name}-`)).sort()) {
      const tree = path.join(cache, entry);
      const program: RedisProgram = { path: path.join(tree, 'usr', 'bin', name), env: await libraryPath(tree) };
      // After a system upgrade, a cached program may no longer find a library it needs.
      if (await answersVersion(program)) return program;
      await rm(tree, { recursive: true, force: true });
    }
  }
  return undefined;
}

/** Multi-arch directories such as usr/lib/x86_64-linux-gnu also contain libraries. */
async function libraryPath(tree: string): Promise<Record<string, string>> {
  const directories: string[] = [];
  for (const base of ['usr/lib', 'lib']) {
    const directory = path.join(tree, base);
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    directories.push(
      ...entries
        .filter((entry) => entry.isDirectory() && entry.name.includes('-linux-'))
        .map((entry) => path.join(directory, entry.name)),
      directory,
    );
  }
  const inherited = process.env.LD_LIBRARY_PATH;
  return { LD_LIBRARY_PATH: [...directories, ...(inherited ? [inherited] : [])].join(':') };
}

function answersVersion(program: RedisProgram): Promise<boolean> {
  return run(program.path, ['--version'], { env: { ...process.env, ...program.env } }).then(
    () => true,
    () => false,
  );
}

function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
