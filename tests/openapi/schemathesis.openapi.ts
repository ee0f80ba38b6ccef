import { randomInt } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { callJson, reportedRemoval } from '../harness/json-calls.js';
import { type StackProcess, startStackProcess } from '../harness/stack-process.js';
import { pythonTools, run } from './tools.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const python = await pythonTools();
const { OPENAPI_SEED: seed = String(randomInt(2 ** 31)), OPENAPI_EXAMPLES: examples = '25' } = process.env;

let stack: StackProcess | undefined;
beforeAll(async () => {
  if (python !== undefined) stack = await startStackProcess({ args: ['--seed', 'demo', '--dashboards', '0'] });
}, 240_000);
afterAll(() => stack?.stop());

(python === undefined ? test.skip : test)(
  `schemathesis finds no fault in any operation (OPENAPI_SEED=${seed}, OPENAPI_EXAMPLES=${examples})`,
  async () => {
    const state = await (stack as StackProcess).state();
    await addChanges(state);
    const output = await run(
      path.join(python as string, 'bin', 'schemathesis'),
      [
        'run',
        'docs/openapi.json',
        ...['--url', state.apiUrl, '--header', `Authorization: Bearer ${state.apiKey}`],
        ...['--checks', 'all', '--seed', seed, '--max-examples', examples],
      ],
      { cwd: root },
    );
    process.stderr.write(output.slice(output.indexOf('= SUMMARY =')));
    expect(output).toMatch(/Operations: +(\d+) selected \/ \1 total/);
  },
  30 * 60_000,
);

/** Requests for a destination and for changes can succeed only if they exist. */
async function addChanges(state: Awaited<ReturnType<StackProcess['state']>>): Promise<void> {
  const { apiUrl, apiKey, ingestUrl, ingestToken } = state;
  await callJson('POST', `${apiUrl}/artists`, apiKey, { platform_id: '5000001' });
  await callJson('POST', `${apiUrl}/destinations`, apiKey, { url: 'https://receiver.example/webhooks' });
  const changes = ['release_removed', 'label_changed', 'artwork_changed'].map((type) =>
    reportedRemoval(type, { artist_platform_id: '5000001', type }),
  );
  await callJson('POST', `${ingestUrl}/changes`, ingestToken, { changes });
}
