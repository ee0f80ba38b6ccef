import { describe, expect, test } from '@jest/globals';
import type { ResponseObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import { API_ERROR_CODES } from '../api/errors.js';
import { ID_SCHEMAS } from '../api/fields.js';
import { ALL_OPERATIONS, openApiDocument } from './document.js';
import { endpointsPage } from './endpoints-page.js';

const document = openApiDocument();

describe('the documentation', () => {
  test('the document has an example for every request and response body', () => {
    for (const { id, body, answers } of ALL_OPERATIONS) {
      if (body) expect([id, body.schema.safeParse(body.example).error]).toEqual([id, undefined]);
      for (const [status, { schema, example, texts }] of Object.entries(answers)) {
        expect([id, status, (schema ?? texts) !== undefined]).toEqual([id, status, status !== '204']);
        if (schema) expect([id, withoutLooseness(schema).safeParse(example).error]).toEqual([id, undefined]);
      }
    }
  });

  test('the documentation shows a request and a response for every endpoint in at most 25 lines', () => {
    const sections = endpointsPage(document)
      .split(/^###? /m)
      .filter((section) => /^[A-Z]+ /.test(section));
    expect(sections.map((section) => section.split('\n', 1)[0]).sort()).toEqual(
      ALL_OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    expect(sections.filter((section) => section.trim().split('\n').length > 25)).toEqual([]);
    expect(sections.filter((section) => section.includes('undefined'))).toEqual([]);
    const recovery = sections.find((section) => section.startsWith('POST /destinations/{id}/recover')) ?? '';
    expect([recovery.includes('Returns 202'), recovery.includes('dry_run')]).toEqual([true, false]);
  });

  test('every required parameter has a valid example', () => {
    for (const { id, of, query } of ALL_OPERATIONS) {
      const required = Object.entries(query?.shape ?? {}).filter(([, schema]) => !schema.safeParse(undefined).success);
      for (const [name, schema] of [...required, ...(of ? [['id', ID_SCHEMAS[of]] as const] : [])])
        expect([id, name, schema.safeParse(schema.meta()?.example).error]).toEqual([id, name, undefined]);
    }
  });

  test('every error code is documented and belongs to at least one operation', () => {
    const responses = document.components?.responses as Record<string, ResponseObject>;
    const { content, description } = responses.Error as ResponseObject;
    expect(Object.keys(content?.['application/json']?.examples ?? {})).toEqual(API_ERROR_CODES);
    for (const code of API_ERROR_CODES) expect(description).toContain(`\`${code}\``);
    const ofOperations = Object.values(document.paths ?? {}).flatMap((item) =>
      Object.values(item as object).flatMap((operation) => operation['x-error-codes'] ?? []),
    );
    expect(new Set(ofOperations)).toEqual(new Set(API_ERROR_CODES));
  });

  test('every operation has a unique name', () => {
    expect(new Set(ALL_OPERATIONS.map(({ id }) => id)).size).toBe(ALL_OPERATIONS.length);
    expect(new Set(ALL_OPERATIONS.map(({ method, path }) => `${method} ${path}`)).size).toBe(ALL_OPERATIONS.length);
  });

  test('response enums allow new values, and counts are 64-bit integers', () => {
    const walk = (node: unknown, place: string): string[] => {
      if (typeof node !== 'object' || node === null) return [];
      const schema = node as Record<string, unknown>;
      const isInteger = [schema.type].flat().includes('integer') && schema.format !== 'int64';
      return [
        ...('enum' in schema || isInteger ? [place] : []),
        ...Object.entries(schema).flatMap(([name, child]) =>
          name.startsWith('example') ? [] : walk(child, `${place}/${name}`),
        ),
      ];
    };
    const { schemas, responses } = document.components ?? {};
    const closed = walk({ schemas, responses, paths: document.paths }, '').filter((place) => !ALLOWED.test(place));
    expect(closed).toEqual([]);
  });

  test('the document lists a URL template as its server; under /docs, the URL of this installation comes first', () => {
    expect(document.servers?.[0]).toMatchObject({ url: 'https://{host}/v1', variables: { host: {} } });
    expect(openApiDocument('deezer', true).servers?.[0]?.url).toBe('/v1');
  });

  test('the document describes the webhook', () => {
    expect(Object.keys(document.webhooks ?? {})).toEqual(['change.confirmed']);
  });
});

/** Fields with a fixed set of values. */
const ALLOWED = /\/dry_run$|\/CreateDestination\/(?:then|else)\//;

function withoutLooseness(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject ? schema.strict() : schema;
}
