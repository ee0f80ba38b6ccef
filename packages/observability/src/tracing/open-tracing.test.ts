import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createLogger } from '../logger.js';
import { openTracing } from './open-tracing.js';
import { noTracing, type TracingSettings } from './tracing.js';

const log = createLogger({ service: 'test', level: 'error', stream: new PassThrough().resume() });
const endpoint = 'http://127.0.0.1:4318';

describe('settings that switch tracing off', () => {
  test.each<TracingSettings>([
    { OTEL_SDK_DISABLED: false },
    { OTEL_SDK_DISABLED: false, OTEL_SERVICE_NAME: 'api' },
    { OTEL_SDK_DISABLED: true, OTEL_TRACES_EXPORTER: 'otlp' },
    { OTEL_SDK_DISABLED: true, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    { OTEL_SDK_DISABLED: false, OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
  ])('%j', async (settings) => {
    expect(await openTracing({ service: 'test', settings, log })).toBe(noTracing);
  });
});

test('if tracing is off, work still runs and has no traceparent', async () => {
  const found = await noTracing.span('work', {}, async (span) => span.within(() => span.traceparent ?? 'none'));
  expect(found).toBe('none');
});
