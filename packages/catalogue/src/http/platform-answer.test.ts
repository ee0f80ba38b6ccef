import { expect, test } from '@jest/globals';
import { platformAnswer } from './platform-answer.js';

const form = { grant_type: 'client_credentials' };
const answered = (body: string, headers = {}) => ({ status: 200, headers, body });

test.each([
  ['a token', '{"access_token":"t0ken","token_type":"Bearer","expires_in":3600,"scope":"t0ken"}'],
  ['a page that repeats what was sent', '<html>Authorization: Basic t0ken</html>'],
  ['a refusal that repeats what was sent', '{"error":"invalid_client","error_description":"t0ken"}'],
  ['JSON that is no object', 'null'],
])('of an answer to a token request that is %s no credential is kept', (_, body) => {
  const kept = platformAnswer({ path: '/api/token', form }, answered(body));
  expect(kept).toMatchObject({ method: 'POST', status: 200 });
  expect(JSON.stringify(kept)).not.toContain('t0ken');
});

test('any other body is kept as it came, and of the headers those that decide how it is read', () => {
  const headers = { 'content-type': 'text/html', 'retry-after': '5', 'set-cookie': ['sid=1'], via: 'proxy.internal' };
  expect(platformAnswer({ path: '/artist/27' }, answered('{"id":27', headers))).toEqual({
    method: 'GET',
    path: '/artist/27',
    status: 200,
    headers: { 'content-type': 'text/html', 'retry-after': '5' },
    body: '{"id":27',
  });
});
