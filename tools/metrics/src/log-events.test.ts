import { expect, test } from '@jest/globals';
import { logEventsInSource, readLogEvents } from './log-events.js';

test('every form of log call is found, with all its levels', () => {
  expect(
    logEventsInSource(`
      log.info('tunnel.closed', { host });
      const onError = (error: unknown) => log.error('release.failed', { error });
      log[isOurFault ? 'warn' : 'info']('tunnel.refused', {});
      log[level]('request.answered', {});
      log.warn(away ? 'platform_budget.lost' : 'platform_budget.back', { error });
      log.failed('queue.add', error);
      log.error(operation, { error });
      console.info('no.log');
    `),
  ).toEqual([
    { code: 'tunnel.closed', levels: ['info'] },
    { code: 'release.failed', levels: ['error'] },
    { code: 'tunnel.refused', levels: ['warn', 'info'] },
    { code: 'request.answered', levels: ['info', 'warn', 'error'] },
    { code: 'platform_budget.lost', levels: ['warn'] },
    { code: 'platform_budget.back', levels: ['warn'] },
    { code: 'queue.add', levels: ['error'] },
  ]);
});

test('an event code that is built from parts throws an error', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the examined source
  expect(() => logEventsInSource('log.warn(`destination.${kind}`, run);')).toThrow('not a string literal');
});

test('an event without a meaning throws an error, and so does a meaning without an event', () => {
  const sources = [{ file: 'services/api/src/a.ts', text: `log.warn('usage.lost'); log.info('usage.lost');` }];
  const services = new Map([['services/api/src/a.ts', new Set(['api'])]]);
  expect(() => readLogEvents(sources, services, {})).toThrow('usage.lost');
  expect(() => readLogEvents([], services, { 'usage.lost': 'Lost.' })).toThrow('usage.lost is not logged');
  expect(readLogEvents(sources, services, { 'usage.lost': 'Lost.' })).toEqual([
    { code: 'usage.lost', levels: ['info', 'warn'], services: ['api'], meaning: 'Lost.' },
  ]);
});
