import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { ProxyRig } from './testing/running-proxy.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

describe('the built service', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  });

  function run(env: Record<string, string>) {
    const child = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env.PATH, LISTEN_HOST: '127.0.0.1', EGRESS_PORT: '0', OPS_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    children.push(child);
    let errors = '';
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    let logs = '';
    child.stdout?.on('data', (chunk) => {
      logs += chunk;
    });
    return { child, errors: () => errors, logs: () => logs };
  }

  test('the service starts, reports its address and exits with 0 on SIGTERM', async () => {
    const { child } = run({});
    const [message] = await once(child, 'message');
    expect(message).toEqual({ type: 'ready', addresses: { egress: expect.any(Number), ops: expect.any(Number) } });
    child.kill('SIGTERM');
    expect((await once(child, 'exit'))[0]).toBe(0);
  });

  test('the service never logs the credentials of its clients', async () => {
    const { child, logs } = run({ EGRESS_CLIENT_CREDENTIALS: 'workers:a-very-long-password', EGRESS_PORT: '0' });
    await once(child, 'message');
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(logs()).toContain('"EGRESS_CLIENT_CREDENTIALS":"***"');
    expect(logs()).not.toMatch(/workers|a-very-long-password/);
  });

  test('the service does not start without client restrictions if it would listen on every interface', async () => {
    const { child, errors } = run({ LISTEN_HOST: '' });
    expect((await once(child, 'exit'))[0]).toBe(1);
    expect(errors()).toMatch(/^egress-proxy: Invalid settings: EGRESS_CLIENT_CIDRS and [^.]*127\.0\.0\.1\.\n$/);
  });

  test('the service reports all invalid settings in one message', async () => {
    const { child, errors } = run({
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8,home',
      EGRESS_PORT: 'x',
      EGRESS_IDLE_TIMEOUT: '5',
    });
    expect((await once(child, 'exit'))[0]).toBe(1);
    expect(errors()).toBe(
      'egress-proxy: Invalid settings: EGRESS_PORT "x" is not a whole number from 0 to 65535; ' +
        'EGRESS_ALLOW_CIDRS "home" is not a range such as 10.0.0.0/8; ' +
        'EGRESS_IDLE_TIMEOUT "5" is not a duration such as 500ms, 10s, 1m or 2h (at most 24d).\n',
    );
  });

  test('the service names the setting whose port is already in use', async () => {
    const rig = new ProxyRig();
    const port = await rig.listenWith(createServer());
    const { child, errors } = run({ EGRESS_PORT: String(port) });
    expect((await once(child, 'exit'))[0]).toBe(1);
    expect(errors()).toBe(`egress-proxy: Port ${port} (EGRESS_PORT) is already in use.\n`);
    await rig.close();
  });
});
