import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { stopInOrder } from './lifecycle.js';

const PACKAGE_FOLDER = fileURLToPath(new URL('../..', import.meta.url));

const PREAMBLE = `
  import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
  import { readSettings, port, databaseUrl } from '@artist-watch/runtime/settings/settings';
  import { listen } from '@artist-watch/runtime/settings/start-failure';
  import { createServer } from 'node:net';
  const say = (text) => process.stdout.write(text + '\\n');
  const log = { info: (event) => say(event), error: (event, fields) => say(event + ' ' + (fields?.error?.message ?? '')) };
  const keepAlive = setInterval(() => undefined, 1000);
`;

interface Run {
  readonly child: ChildProcess;
  readonly messages: unknown[];
  output(): string;
  errors(): string;
  said(text: string): Promise<void>;
  exit(): Promise<number | null>;
}

describe('runService', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  });

  function run(service: string, { ipc = false, env = {} }: { ipc?: boolean; env?: Record<string, string> } = {}): Run {
    const child = spawn(process.execPath, ['--input-type=module', '-e', `${PREAMBLE}\n${service}`], {
      cwd: PACKAGE_FOLDER,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? (['ipc'] as const) : [])],
    });
    children.push(child);
    // After disconnect(), Node emits no 'close'. Without IPC, 'close' also means that the output is complete.
    const exited = once(child, ipc ? 'exit' : 'close').then(([code]) => code as number | null);
    let output = '';
    let errors = '';
    const messages: unknown[] = [];
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      errors += chunk;
    });
    child.on('message', (message) => messages.push(message));
    return {
      child,
      messages,
      output: () => output,
      errors: () => errors,
      exit: () => exited,
      said: async (text) => {
        while (!output.includes(text)) {
          const more = await Promise.race([
            once(child.stdout as NodeJS.EventEmitter, 'data'),
            exited.then(() => 'ended'),
          ]);
          if (more === 'ended' && !output.includes(text))
            throw new Error(`the output never contained ${text}: ${output} ${errors}`);
        }
      },
    };
  }

  test('SIGTERM aborts the signal passed to start, stops the service in order and exits with 0', async () => {
    const service = run(`runService({ name: 'svc', start: async (signal) => {
      signal.addEventListener('abort', () => say('not ready'));
      return { addresses: { port: 1 }, log, stop: async () => say('stopped by hand') };
    } });`);
    await service.said('service.started');
    service.child.kill('SIGTERM');
    expect(await service.exit()).toBe(0);
    expect(service.output().trim().split('\n')).toEqual([
      'service.started',
      'not ready',
      'service.stopping',
      'stopped by hand',
      'service.stopped',
    ]);
  });

  test('after SIGTERM the service is unready immediately and keeps serving for the shutdown delay', async () => {
    const service = run(`runService({ name: 'svc', start: async (signal) => {
      signal.addEventListener('abort', () => { say('not ready'); setTimeout(() => say('still serving'), 20); });
      return { addresses: {}, log, lingerMs: 300, stop: async () => say('stopped by hand') };
    } });`);
    await service.said('service.started');
    service.child.kill('SIGTERM');
    expect(await service.exit()).toBe(0);
    expect(service.output()).toMatch(/not ready\nservice.stopping\nstill serving\nstopped by hand\n/);
  });

  test.each(['SIGINT', 'SIGTERM and then SIGINT'])('%s skips the shutdown delay', async (signals) => {
    const service = run(`runService({ name: 'svc', start: async () => ({ addresses: {}, log, lingerMs: 600_000,
      shutdownDeadlineMs: 900_000, stop: async () => {} }) });`);
    await service.said('service.started');
    if (signals !== 'SIGINT') {
      service.child.kill('SIGTERM');
      await service.said('service.stopping');
    }
    service.child.kill('SIGINT');
    expect(await service.exit()).toBe(0);
  });

  test('a shutdown that hangs is forced at the deadline, and the process exits with 1', async () => {
    const service = run(`runService({ name: 'svc', start: async () => ({ addresses: {}, log, shutdownDeadlineMs: 100,
      stop: (forced) => new Promise(() => forced.addEventListener('abort', () => say('forced'))) }) });`);
    await service.said('service.started');
    service.child.kill('SIGTERM');
    expect(await service.exit()).toBe(1);
    expect(service.output()).toMatch(/forced\nservice.stop_timed_out/);
  });

  test('a second signal ends the process immediately', async () => {
    const service = run(`runService({ name: 'svc', start: async () => ({ addresses: {}, log,
      stop: () => new Promise(() => setTimeout(() => say('waited long enough'), 300)) }) });`);
    await service.said('service.started');
    service.child.kill('SIGINT');
    await service.said('waited long enough');
    service.child.kill('SIGINT');
    expect(await service.exit()).toBe(130);
  });

  test('several signals from one Ctrl-C count as one stop request', async () => {
    const service = run(`runService({ name: 'svc', start: async () => ({ addresses: {}, log,
      stop: async () => { process.kill(process.pid, 'SIGINT'); process.kill(process.pid, 'SIGTERM');
        await new Promise((resolve) => setTimeout(resolve, 50)); } }) });`);
    await service.said('service.started');
    service.child.kill('SIGINT');
    expect(await service.exit()).toBe(0);
  });

  test('a shutdown loses no log lines, even if the reader lags by more than a pipe buffer', async () => {
    const service = run(`runService({ name: 'svc', start: async () => ({ addresses: {}, log,
      stop: async () => { process.stderr.write('stopping'); for (let n = 0; n < 20_000; n += 1) say('line ' + 'x'.repeat(50)); } }) });`);
    await service.said('service.started');
    service.child.stdout?.pause();
    service.child.kill('SIGTERM');
    await once(service.child.stderr as NodeJS.EventEmitter, 'data');
    service.child.stdout?.resume();
    expect(await service.exit()).toBe(0);
    const lines = service.output().trim().split('\n');
    expect(lines.filter((line) => line.startsWith('line '))).toHaveLength(20_000);
    expect(lines.at(-1)).toBe('service.stopped');
  });

  test('a failed shutdown is logged, and the process exits with 1', async () => {
    const service = run(`runService({ name: 'svc', start: async () => ({ addresses: {}, log,
      stop: async () => { throw new Error('queue did not close'); } }) });`);
    await service.said('service.started');
    service.child.kill('SIGTERM');
    expect(await service.exit()).toBe(1);
    expect(service.output()).toContain('service.stop_failed queue did not close');
  });

  test('a signal during startup stops the service once startup is complete', async () => {
    const service = run(`runService({ name: 'svc', start: async (signal) => { say('starting');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { addresses: {}, log, stop: async () => say('stopped by hand') }; } });`);
    await service.said('starting');
    service.child.kill('SIGTERM');
    expect(await service.exit()).toBe(0);
    expect(service.output()).not.toContain('service.started');
    expect(service.output()).toContain('stopped by hand');
  });

  test('invalid settings are reported in one sentence without a stack, and the process exits with 1', async () => {
    const service = run(
      `runService({ name: 'svc', start: async () => readSettings({ A: databaseUrl(), P: port() }, process.env) });`,
      { env: { P: 'x' } },
    );
    expect(await service.exit()).toBe(1);
    expect(service.errors()).toBe(
      'svc: Invalid settings: A is missing; P "x" is not a whole number from 0 to 65535.\n',
    );
  });

  test('a port in use is reported in one sentence, and the process exits with 1', async () => {
    const service = run(`runService({ name: 'svc', start: async () => {
      const options = { host: '127.0.0.1', setting: 'API_PORT' };
      const port = await listen(createServer(), { ...options, port: 0 });
      await listen(createServer(), { ...options, port });
    } });`);
    expect(await service.exit()).toBe(1);
    expect(service.errors()).toMatch(/^svc: Port \d+ \(API_PORT\) is already in use\.\n$/);
  });

  test('an unexpected error is reported with its stack, without credentials', async () => {
    const service = run(
      `runService({ name: 'svc', start: async () => { throw new TypeError('bad //u:hunter2@db'); } });`,
    );
    expect(await service.exit()).toBe(1);
    expect(service.errors()).toMatch(/svc: Unexpected error: bad \/\/.*\n.*TypeError/s);
    expect(service.errors()).not.toContain('hunter2');
  });

  test.each([
    ['an unhandled rejection', `Promise.reject(new Error('lost'))`],
    ['an uncaught exception', `setTimeout(() => { throw new Error('lost'); })`],
  ])('%s is logged, and the process exits with 1', async (_what, crash) => {
    const service = run(`runService({ name: 'svc', start: async () => ({ addresses: {}, log, stop: async () => {} }) });
      setTimeout(() => { ${crash} }, 20);`);
    expect(await service.exit()).toBe(1);
    expect(service.output()).toContain('process.crashed lost');
  });

  test('the service stops even if its parent process exits before the service has loaded', async () => {
    const service = run(
      `process.disconnect(); await new Promise((resolve) => setImmediate(resolve));
      runService({ name: 'svc', start: async () => ({ addresses: {}, log, stop: async () => say('stopped by hand') }) });`,
      { ipc: true },
    );
    expect(await service.exit()).toBe(0);
  });

  test('a parent process receives the addresses, and the service stops when the parent exits', async () => {
    const service = run(
      `runService({ name: 'svc', start: async () => ({ addresses: { port: 8080 }, log, stop: async () => {} }) });`,
      { ipc: true },
    );
    await once(service.child, 'message');
    expect(service.messages).toEqual([{ type: 'ready', addresses: { port: 8080 } }]);
    service.child.disconnect();
    expect(await service.exit()).toBe(0);
  });
});

describe('stopInOrder', () => {
  test('the later steps of a shutdown run even if one step fails', async () => {
    const stopped: string[] = [];
    const part = (name: string, fails = false) => ({
      name,
      stop: async () => {
        stopped.push(name);
        if (fails) throw new Error('no');
      },
    });
    await expect(stopInOrder([part('worker'), part('queue', true), part('database')])).rejects.toThrow(
      'queue did not stop cleanly',
    );
    expect(stopped).toEqual(['worker', 'queue', 'database']);
    await expect(stopInOrder([part('a', true), part('b', true)])).rejects.toThrow(
      'a did not stop cleanly; b did not stop cleanly',
    );
  });
});
