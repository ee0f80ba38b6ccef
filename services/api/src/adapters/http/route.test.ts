import { ApiError } from '@artist-watch/contracts/api/errors';
import { ALL_OPERATIONS } from '@artist-watch/contracts/openapi/document';
import { expect, test } from '@jest/globals';
import { queryParser } from './route.js';

const parameters = ALL_OPERATIONS.flatMap((operation) =>
  Object.keys(operation.query?.shape ?? {}).map((name) => ({ operation, name, id: operation.id })),
);

test.each(parameters)(
  '$id rejects an invalid "$name" with a complete sentence about that parameter',
  ({ operation, name }) => {
    const parse = queryParser(operation);
    for (const value of ['', '~', '\u0001', 'a'.repeat(5_000)]) {
      try {
        parse(`/?${name}=${encodeURIComponent(value)}`);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        expect((error as ApiError).message).toMatch(new RegExp(`^"${name}" (?!Invalid|Too|Unrecognized).*\\.$`));
      }
    }
  },
);
