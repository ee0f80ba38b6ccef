import { StartError } from '@artist-watch/runtime/settings/start-failure';
import { expect, test } from '@jest/globals';
import { parseStackOptions } from './options.js';
import { inStepWith, openScenario } from './scenario.js';

test('a scenario is found by its name in the library of the simulator', async () => {
  expect(await openScenario('removed', 60)).toMatchObject({
    source: expect.stringContaining('release_removed'),
    speed: 60,
  });
});

test.each(['no-such-scenario', './no/such/file.yaml'])('"%s" is refused in one sentence', async (choice) => {
  await expect(openScenario(choice, 1)).rejects.toThrow(StartError);
});

test('polling and confirmation keep step with the speed, unless the environment says otherwise', () => {
  const scenario = { source: '', speed: 60 };
  expect(inStepWith(scenario, { CONFIRM_SPAN: '5s', LOG_LEVEL: 'warn' })).toEqual({
    POLL_INTERVAL_FACTOR: '0.016667',
    CONFIRM_SPAN: '5s',
    CONFIRM_INTERVAL: '10000ms',
    LOG_LEVEL: 'warn',
  });
});

test.each(['0', '-1', '201', 'fast', ''])('--speed "%s" is refused', (speed) => {
  expect(() => parseStackOptions(['--scenario', 'removed', `--speed=${speed}`])).toThrow(StartError);
});
