import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { databaseUrl, redisUrl } = await useSuite();

/** Fills 90% of the old space on SIGUSR2. 32 MiB of buffers simulate busy sockets. */
const FILL_HEAP = `
  process.on('SIGUSR2', () => {
    const kept = [Buffer.alloc(32 << 20, 1)];
    const fullBytes = 0.9 * 2 ** 20 * /max-old-space-size=(\\d+)/.exec(process.execArgv.join())[1];
    const fill = () => {
      for (let block = 0; block < 100; block++) kept.push(new Array(1_000).fill(0.5));
      if (process.memoryUsage().heapUsed < fullBytes) setImmediate(fill);
      else process.stdout.write('heap is full: ' + kept.length + ' blocks\\n');
    };
    fill();
  });`;

/** Each service ignores the settings of the others. */
const settings = {
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  INGEST_TOKEN: 'a'.repeat(40),
  EGRESS_PROXY_URLS: 'http://127.0.0.1:9',
  EGRESS_CLIENT_CIDRS: '127.0.0.0/8',
  PLATFORM_URL: 'http://127.0.0.1:9',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'mail@artist-watch.test',
  LISTEN_HOST: '127.0.0.1',
  MALLOC_ARENA_MAX: '2',
  ...Object.fromEntries(['API', 'INGEST', 'DASHBOARD', 'EGRESS', 'OPS'].map((name) => [`${name}_PORT`, '0'])),
};

interface DeploymentFile {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value?: string }[];
          readonly resources: { readonly limits: { readonly memory: string } };
        }[];
      };
    };
  };
}

function deploymentOf(folder: string) {
  const file = readFileSync(`${root}k8s/base/${folder}/deployment.yaml`, 'utf8');
  const [container] = (parse(file) as DeploymentFile).spec.template.spec.containers;
  return {
    nodeOptions: container?.env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '',
    limitMiB: Number.parseInt(container?.resources.limits.memory ?? '', 10),
  };
}

function imageArguments(service: string): string[] {
  const stage = readFileSync(`${root}Dockerfile`, 'utf8').split(`FROM runtime AS ${service}\n`)[1] ?? '';
  return JSON.parse(/^CMD (.+)$/m.exec(stage)?.[1] ?? '[]');
}

test.each([
  ['api', 'api'],
  ['change-ingest', 'change-ingest'],
  ['webhook-worker', 'webhook-worker'],
  ['dashboard', 'dashboard'],
  ['egress-proxy', 'egress/pool'],
])(
  '%s uses less memory than its limit when its heap is full',
  async (service, folder) => {
    const { nodeOptions, limitMiB } = deploymentOf(folder);
    const preload = `data:text/javascript,${encodeURIComponent(FILL_HEAP)}`;
    const child = spawn(
      process.execPath,
      [...nodeOptions.split(' '), '--import', preload, ...imageArguments(service)],
      {
        cwd: root,
        env: { PATH: process.env.PATH, ...settings },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const exited = once(child, 'exit');
    try {
      let peakKiB: number | undefined;
      for await (const line of createInterface({ input: child.stdout })) {
        if (line.includes('"service.started"')) child.kill('SIGUSR2');
        if (!line.startsWith('heap is full')) continue;
        peakKiB = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]);
        break;
      }
      expect(Math.round((peakKiB ?? Number.NaN) / 1024)).toBeLessThan(limitMiB);
    } finally {
      child.kill('SIGKILL');
      await exited;
    }
  },
  60_000,
);
