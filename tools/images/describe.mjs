#!/usr/bin/env node
/*
 * `node tools/images/describe.mjs` writes docs/images.md: collects the files of every image and lists them. With
 * `--files DIRECTORY` it lists what was collected there before (a directory for each image) on stdout instead.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../setup/root.mjs';
import { filesBelow } from './projects.mjs';

const introduction = `# Images

\`docker build --target api .\` makes one of them, \`docker compose build\` all. Each is \`node:20-slim\` without npm, npx, yarn
and corepack, in one layer, and on top of it the files below in \`/app\`: the build of one program and of the packages that
it imports, and their production dependencies. There is no native code in them, so they are the same on every
architecture, and no engine, browser or package manager, so nothing is downloaded at start-up. What no program loads
(types, source maps, the query compilers of other databases) is left out.

They run as user 1000 on a read-only root file system, write to no disk and start no process; tests/contract/containers.test.ts
starts every one of them under Node's permission model, which refuses all of that, and tells the story of the demo with
them. Services are healthy when \`/readyz\` answers 200.

docker-compose.yml was run with Docker 26.1 and Compose 2.26, on images of Node, PostgreSQL and Redis other than those of
Docker Hub: all is healthy, the demo's webhook arrives, and every service ends with exit code 0. Docker before 25 has no
\`start_interval\`.

\`node tools/images/describe.mjs\` writes this page; the same test refuses one that lists other packages.

## Built without a Docker engine

With \`buildah\` and \`debootstrap\`, as root, on the Debian and with the Node that \`NODE_VERSION\` names. The base image stands in
for \`node:20.20.2-slim\`; everything else is the Dockerfile as it is, but for \`--start-interval\`, which buildah 1.28 does not know:

\`\`\`sh
debootstrap --variant=minbase --include=ca-certificates bookworm base http://deb.debian.org/debian
cp "$(readlink -f "$(command -v node)")" base/usr/local/bin/node
mkdir -p base/usr/local/lib/node_modules && cp -a "$(npm root -g)/npm" base/usr/local/lib/node_modules/
ln -s ../lib/node_modules/npm/bin/npm-cli.js base/usr/local/bin/npm
ln -s ../lib/node_modules/npm/bin/npx-cli.js base/usr/local/bin/npx
chroot base sh -c 'groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node'
c=$(buildah from scratch)
buildah add "$c" base / && buildah commit "$c" docker.io/library/node:20.20.2-slim && buildah rm "$c"
sed 's/ --start-interval=1s//' Dockerfile >Dockerfile.buildah
buildah bud --isolation chroot --layers --pull-never --format docker --file Dockerfile.buildah --target api --tag artist-watch-api .
\`\`\`

To start one where there is no runtime, on a root that cannot be written, as its own user and without any capability:

\`\`\`sh
c=$(buildah from --pull-never artist-watch-api)
mkdir -p root && mount --bind "$(buildah mount "$c")" root && mount -o remount,bind,ro root
chroot root setpriv --reuid 1000 --regid 1000 --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs \\
  env -i PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production DATABASE_URL=… REDIS_URL=… ENCRYPTION_KEY=… \\
  sh -c 'cd /app && exec node services/api/dist/main.js'
\`\`\`
`;

const [option, given] = process.argv.slice(2);
if (option === '--files') {
  process.stdout.write(page(given));
} else {
  const directory = mkdtempSync(path.join(tmpdir(), 'artist-watch-images-'));
  try {
    for (const [image, project] of images()) {
      const collect = path.join(root, 'tools', 'images', 'collect.mjs');
      const { status } = spawnSync(process.execPath, [collect, project, path.join(directory, image)], {
        stdio: 'inherit',
      });
      if (status !== 0) process.exit(1);
    }
    writeFileSync(path.join(root, 'docs', 'images.md'), page(directory));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** As the Dockerfile names them: `FROM build AS api-files` and the project that is collected there. */
function images() {
  const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');
  const stages = dockerfile.matchAll(
    /^FROM build AS ([\w-]+)-files\nRUN node tools\/images\/collect\.mjs (\S+) \/image$/gm,
  );
  return [...stages].map(([, image, project]) => [image, project]);
}

function page(directory) {
  const described = readdirSync(directory)
    .sort()
    .map((image) => describe(image, path.join(directory, image)));
  const rows = described.map(({ image, files, bytes, own, packages }) => {
    const cells = [`\`${image}\``, (bytes / 1e6).toFixed(1), files, own.length, packages.length];
    return `| ${cells.join(' | ')} |`;
  });
  const table = [
    '| image | MB in /app | files | own projects | packages of npm |',
    '|---|---:|---:|---:|---:|',
    ...rows,
  ].join('\n');
  const lists = described.map(
    ({ image, own, packages }) => `## ${image}\n\nOwn: ${own.join(', ')}.\n\nFrom npm: ${packages.join(', ')}.\n`,
  );
  return [introduction, table, '', ...lists].join('\n');
}

function describe(image, directory) {
  const files = filesBelow(directory);
  const bytes = files.reduce((sum, file) => sum + statSync(path.join(directory, file)).size, 0);
  const own = new Set(
    files.filter((file) => !file.startsWith('node_modules/')).map((file) => file.split('/').slice(0, 2).join('/')),
  );
  own.delete('prisma/migrations');
  own.delete('prisma/schema.prisma');
  const store = path.join(directory, 'node_modules', '.pnpm');
  const packages = readdirSync(store)
    .filter((entry) => entry !== 'node_modules')
    // `@prisma+client@7.10.0_prisma@7.10.0…`: the name, and behind the version what it was resolved with.
    .map((entry) => /^(@?[^@]+)@([^_]+)/.exec(entry.replace('+', '/'))?.slice(1, 3).join(' ') ?? entry);
  return { image, files: files.length, bytes, own: [...own].sort(), packages: [...new Set(packages)].sort() };
}
