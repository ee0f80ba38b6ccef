import { expect, test } from '@jest/globals';
import { PlatformError } from '../port.js';
import { parseRetryAfter, toJsonResponse, toRecordedResponse } from './platform-http.js';

const now = new Date('2026-03-14T12:00:00Z');

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['1.5', 1_500],
  ['-1', 0],
  ['Sat, 14 Mar 2026 12:01:30 GMT', 90_000],
  ['Sat, 14 Mar 2026 11:00:00 GMT', 0],
  ['99999999999', 86_400_000],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400_000],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j means a pause of %s ms', (header, pauseMs) => {
  expect(parseRetryAfter(header, now)).toBe(pauseMs);
});

test.each([
  [undefined, 5_000],
  ['0', 1_000],
  ['Sat, 14 Mar 2026 11:00:00 GMT', 1_000],
  ['79892', 79_892_000],
])('a 429 with Retry-After %j means a pause of %s ms (never less than a second)', (header, retryAfterMs) => {
  const answer = { status: 429, headers: { 'retry-after': header }, body: Buffer.alloc(0) };
  const read = () => toJsonResponse('/artist/27', answer, now);
  expect(read).toThrow(PlatformError);
  try {
    read();
  } catch (error) {
    expect((error as PlatformError).failure).toEqual({ kind: 'quota', retryAfterMs });
  }
});

const form = { grant_type: 'client_credentials' };
const answered = (body: string, headers = {}) => ({ status: 200, headers, body: Buffer.from(body) });

test.each([
  ['a token', '{"access_token":"t0ken","token_type":"Bearer","expires_in":3600,"scope":"t0ken"}'],
  ['a page that quotes the request', '<html>Authorization: Basic t0ken</html>'],
  ['a rejection that quotes the request', '{"error":"invalid_client","error_description":"t0ken"}'],
  ['JSON other than an object', 'null'],
])('no credential is recorded if the response to a token request is %s', (_, body) => {
  const kept = toRecordedResponse({ path: '/api/token', form }, answered(body));
  expect(kept).toMatchObject({ method: 'POST', status: 200 });
  expect(JSON.stringify(kept)).not.toContain('t0ken');
});

test('a response to a request for data is recorded with its unchanged body and only the headers needed to interpret it', () => {
  const headers = { 'content-type': 'text/html', 'retry-after': '5', 'set-cookie': ['sid=1'], via: 'proxy.internal' };
  expect(toRecordedResponse({ path: '/artist/27' }, answered('{"id":27', headers))).toEqual({
    method: 'GET',
    path: '/artist/27',
    status: 200,
    headers: { 'content-type': 'text/html', 'retry-after': '5' },
    body: '{"id":27',
  });
});
