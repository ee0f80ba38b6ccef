import { describe, expect, test } from '@jest/globals';
import { methodNotAllowed, notFound, pathSuggester } from './request-head.js';

const suggest = pathSuggester('/v1', [
  '/changes',
  '/changes/{id}',
  '/changes/counts',
  '/artists',
  '/artists/{id}/checks',
]);

describe('paths that do not exist', () => {
  test.each([
    ['/changes', '/v1/changes'],
    ['/api/v1/changes', '/v1/changes'],
    ['/v2/changes', '/v1/changes'],
    ['/v1/v1/changes', '/v1/changes'],
    ['/v1/changes/', '/v1/changes'],
    ['/v1//changes', '/v1/changes'],
    ['/v1/Changes', '/v1/changes'],
    ['/v1/chagnes', '/v1/changes'],
    ['/v1/artist', '/v1/artists'],
    ['/artists/art_1/checks', '/v1/artists/art_1/checks'],
    ['/v1/change/counts', '/v1/changes/counts'],
    ['/v1', undefined],
    ['/', undefined],
    ['/v1/something', undefined],
    ['/v1/<script>', undefined],
    [`/${'a'.repeat(100)}`, undefined],
  ])('%s gets the suggestion %s', (path, suggestion) => expect(suggest(path)).toBe(suggestion));

  test('the message repeats the wrong path and suggests a similar one', () => {
    expect(notFound('/changes', '/v1/changes').message).toBe('There is no /changes. Did you mean /v1/changes?');
    expect(notFound('/v1/nothing').message).toBe('There is no /v1/nothing.');
  });

  test.each(['/v1/<script>alert(1)</script>', '/v1/%3Cb%3E', `/${'a'.repeat(100)}`, '/a`b'])(
    'the message does not repeat a wrong path that is long or contains unsafe characters: %s',
    (path) => expect(notFound(path).message).toBe('This URL does not exist.'),
  );
});

test.each([
  [['GET', 'HEAD', 'POST'], 'PUT is not supported here. Use GET, HEAD or POST.', 'GET, HEAD, POST'],
  [['DELETE'], 'PUT is not supported here. Use DELETE.', 'DELETE'],
])('the response to an unsupported method lists the supported methods: %j', (allowed, message, allow) => {
  expect(methodNotAllowed('PUT', allowed)).toMatchObject({ message, headers: { Allow: allow } });
});
