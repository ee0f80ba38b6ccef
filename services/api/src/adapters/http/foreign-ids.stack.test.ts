import { ALL_OPERATIONS } from '@artist-watch/contracts/openapi/document';
import { seedKey, startApi } from '@artist-watch/harness/api-fixtures';
import { seedNamedAccount } from '@artist-watch/harness/named-account';
import { useSuite } from '@artist-watch/harness/suite';
import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { compose } from '../../compose.js';
import { readConfig } from '../../config.js';

const suite = await useSuite();
const { pool } = suite;
const api = await startApi(suite, (env, signal) => compose(readConfig(env), signal));
const own = await seedNamedAccount(pool, 'Own');
const other = await seedNamedAccount(pool, 'Other');
const { key } = await seedKey(pool, own.accountId);

/** Maps each parameter or field that contains an id to the kind of object it identifies. */
const NOUNS: Readonly<Record<string, string>> = {
  ...{ artist_id: 'artist', destination_id: 'destination', change_id: 'change', delivery_id: 'delivery' },
  ...{ continue_after: 'change', artist: 'artist', destination: 'destination', change: 'change' },
};

const shapeOf = (schema: z.ZodType | undefined) =>
  Object.keys((schema as Partial<z.ZodObject> | undefined)?.shape ?? {}).filter((name) => name in NOUNS);

const uses = ALL_OPERATIONS.flatMap((operation) => {
  const { id, of, query, body } = operation;
  return [
    ...(of === undefined ? [] : [{ name: `the path of ${id}`, operation, noun: of as string }]),
    ...shapeOf(query).map((param) => ({ name: `${param} of ${id}`, operation, noun: NOUNS[param] ?? '', param })),
    ...shapeOf(body?.schema).map((field) => ({
      name: `${field} of ${id}`,
      operation,
      noun: NOUNS[field] ?? '',
      field,
    })),
  ];
});

/** Returns all of the other account's rows as text. */
async function rowsOfOther(): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT DISTINCT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'account_id' ORDER BY 1`,
  );
  const found = await Promise.all(
    tables.map(({ name }) =>
      pool.query<{ text: string }>(`SELECT to_jsonb(t)::text AS text FROM ${name} t WHERE account_id = $1 ORDER BY 1`, [
        other.accountId,
      ]),
    ),
  );
  return found.flatMap(({ rows }) => rows.map(({ text }) => text));
}

test('an id from another account gets the same response as a nonexistent id, in every path, parameter and body', async () => {
  const before = await rowsOfOther();
  expect(uses.length).toBeGreaterThan(25);
  for (const { name, operation, noun, ...use } of uses) {
    const { method, path, body } = operation;
    const foreign = other.fill(`:${noun}`);
    const missing = foreign.replace(/_.*/, `_${'0'.repeat(32)}`);
    expect([name, foreign]).toEqual([name, expect.stringMatching(/^[a-z]{3}_[0-9a-f]{32}$/)]);
    const responseTo = async (given: string) => {
      const query = 'param' in use ? `?${use.param}=${given}` : '';
      const example = body?.example as object | undefined;
      const { status, text } = await api.call(`/v1${path.replace('{id}', given)}${query}`, {
        ...{ key, method },
        ...(body && { body: 'field' in use ? { ...example, [use.field]: given } : example }),
      });
      // The feed's own id depends on its filter.
      return { name, status, text: text.replaceAll(given, 'ID').replace(/urn:uuid:\S+/, 'ID') };
    };
    const absent = await responseTo(missing);
    expect(await responseTo(foreign)).toEqual(absent);
    if (operation.of !== undefined) expect(absent).toMatchObject({ name, status: 404 });
  }
  expect(await rowsOfOther()).toEqual(before);
});
