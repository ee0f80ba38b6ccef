import { expect, test } from '@jest/globals';
import { maskCredentials } from './mask-credentials.js';

test.each([
  ['no address at all: a@b.example', 'no address at all: a@b.example'],
  ['connect to http://proxy:3128/path failed', 'connect to http://proxy:3128/path failed'],
  ['connect to http://user:hunter2@proxy:3128 failed', 'connect to http://***@proxy:3128 failed'],
  ['postgres://user:hunt/er2@db:5432/name', 'postgres://***@db:5432/name'],
  ['redis://:hunt@er/2@redis:6379', 'redis://***@redis:6379'],
  ['"redis+cluster://:hunter2@a:1", "http://b"', '"redis+cluster://***@a:1", "http://b"'],
  ['http://u:hunter2@a and http://u:hunter2@b', 'http://***@a and http://***@b'],
  ['postgres://db/name?sslpassword=hunter2&sslmode=require', 'postgres://db/name?sslpassword=***&sslmode=require'],
])('%s', (text, masked) => {
  expect(maskCredentials(text)).toBe(masked);
});
