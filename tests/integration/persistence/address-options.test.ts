import { useSuite } from '@artist-watch/harness/suite';
import { accountStore } from '@artist-watch/persistence/account/store';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { newId } from '@artist-watch/runtime/ids';
import { beforeAll, expect, test } from '@jest/globals';
import { start } from './given.js';

const { databaseUrl, pool, onEnd } = await useSuite();

beforeAll(async () => {
  const name = new URL(databaseUrl).pathname.slice(1);
  await pool.query(`ALTER DATABASE ${name} SET timezone = 'America/New_York'`);
});

function openWith(query: string) {
  const url = new URL(databaseUrl);
  url.search = [query, url.search.slice(1)].filter((part) => part !== '').join('&');
  const database = openDatabase({ url: url.href, poolSize: 1, applicationName: 'test' });
  onEnd(() => database.close());
  return database;
}

async function settingsOf(database: ReturnType<typeof openDatabase>): Promise<Record<string, string>> {
  const { rows } = await database.pool.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name IN ('TimeZone', 'search_path', 'seq_page_cost', 'random_page_cost',
            'cpu_tuple_cost', 'work_mem', 'statement_timeout', 'application_name')`,
  );
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

test.each([
  ['without options in the URL', ''],
  ['with options that set no time zone', 'options=-c%20search_path%3Dpublic'],
  ['with options that set a different time zone', 'options=-c%20TimeZone%3DAsia/Tokyo%20--timezone=Asia/Tokyo'],
])('a time is stored correctly in a database with a different default time zone, %s', async (_what, query) => {
  const database = openWith(query);
  const { id } = await accountStore(database).create({ id: newId('acc', start), name: 'x', plan: 'free', now: start });
  const { rows } = await pool.query('SELECT created_at FROM accounts WHERE id = $1', [id]);
  expect(rows).toEqual([{ created_at: start }]);
});

test('options in the database URL are added to ours and override our cost settings', async () => {
  const options = '-c search_path=public,pg_temp -c random_page_cost=3 -c work_mem=9MB';
  expect(await settingsOf(openWith(`options=${encodeURIComponent(options)}`))).toMatchObject({
    TimeZone: 'UTC',
    search_path: 'public,pg_temp',
    random_page_cost: '3',
    seq_page_cost: '4',
    cpu_tuple_cost: '0.1',
    work_mem: '9216',
  });
});

test("a plus sign in the URL's options means a space, and the last options parameter counts, as in the driver", async () => {
  const plus = openWith('options=-c+work_mem%3D9MB');
  expect(await settingsOf(plus)).toMatchObject({ work_mem: '9216', TimeZone: 'UTC' });
  const twice = openWith('options=-c%20work_mem%3D8MB&options=-c%20work_mem%3D9MB');
  expect(await settingsOf(twice)).toMatchObject({ work_mem: '9216', TimeZone: 'UTC' });
});

test('other parameters of the database URL stay unchanged', async () => {
  const query = 'application_name=a%20b%2Bc%26d+e&options=-c%20work_mem%3D9MB&statement_timeout=1234';
  expect(await settingsOf(openWith(query))).toMatchObject({
    application_name: 'a b+c&d e',
    work_mem: '9216',
    statement_timeout: '1234',
  });
});
