import { describe, expect, test } from '@jest/globals';
import { formatTraceparent, parseTraceparent } from './tracing.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

test('a formatted traceparent parses to the same value', () => {
  for (const isSampled of [true, false]) {
    const parent = { traceId, spanId, isSampled };
    expect(parseTraceparent(formatTraceparent(parent))).toEqual(parent);
  }
});

test('a traceparent of a later version is parsed like one of the current version', () => {
  expect(parseTraceparent(`cc-${traceId}-${spanId}-03-more`)).toEqual({ traceId, spanId, isSampled: true });
});

describe('an invalid traceparent is parsed as undefined', () => {
  test.each([
    undefined,
    null,
    ['00-x', '00-y'],
    '',
    `00-${traceId}-${spanId}`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    ` 00-${traceId}-${spanId}-01`,
  ])('%j', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});
