import { describe, expect, test } from '@jest/globals';
import type { ResponseObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import { API_ERROR_CODES } from '../api/errors.js';
import { ALL_OPERATIONS } from '../api/operations/all-operations.js';
import { openApiDocument } from './document.js';

const document = openApiDocument();

describe('the documentation', () => {
  test('shows an example of every answer that has a body, and of every body that is sent', () => {
    for (const { id, body, answers } of ALL_OPERATIONS) {
      if (body) expect([id, body.schema.safeParse(body.example).error]).toEqual([id, undefined]);
      for (const [status, { schema, example, texts }] of Object.entries(answers)) {
        expect([id, status, (schema ?? texts) !== undefined]).toEqual([id, status, status !== '204']);
        // As it stands: an example may not have a field that the schema does not know.
        if (schema) expect([id, withoutLooseness(schema).safeParse(example).error]).toEqual([id, undefined]);
      }
    }
  });

  test('names every error code, each of them on some operation', () => {
    const named = new Set<string>();
    for (const response of Object.values(document.components?.responses ?? {})) {
      const { content } = response as ResponseObject;
      for (const code of Object.keys(content?.['application/json']?.examples ?? {})) named.add(code);
    }
    expect([...named].sort()).toEqual([...API_ERROR_CODES].sort());
  });

  test('gives every operation a name of its own', () => {
    expect(new Set(ALL_OPERATIONS.map(({ id }) => id)).size).toBe(ALL_OPERATIONS.length);
    expect(new Set(ALL_OPERATIONS.map(({ method, path }) => `${method} ${path}`)).size).toBe(ALL_OPERATIONS.length);
  });

  test('has the webhook', () => {
    expect(Object.keys(document.webhooks ?? {})).toEqual(['change.confirmed']);
  });
});

/** The same schema, refusing fields that it does not name. */
function withoutLooseness(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject ? schema.strict() : schema;
}
