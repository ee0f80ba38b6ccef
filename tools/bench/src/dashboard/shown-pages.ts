import { allPages } from '@artist-watch/dashboard/pages/all';
import type { PageParts } from '@artist-watch/dashboard/pages/parts';
import type { AccountId } from '@artist-watch/domain/ids';
import { seedMember } from '@artist-watch/harness/dashboard-fixtures';
import type pg from 'pg';
import type { Dataset } from '../api/dataset.js';

export interface Watcher {
  readonly accountId: string;
  readonly cookie: string;
}

export interface ShownPage {
  readonly path: string;
  readonly of: Readonly<Record<'ten' | 'fiveHundred', Watcher & { readonly address: string }>>;
  readonly html: string;
}

type Watchers = Readonly<Record<'ten' | 'fiveHundred', Watcher>>;

export async function watchersOf(pool: pg.Pool, { ofOneArtist, ofManyArtists }: Dataset): Promise<Watchers> {
  const [ten = '', fiveHundred = ''] = [ofOneArtist[0]?.accountId, ofManyArtists[0]?.accountId];
  await pool.query(
    `INSERT INTO watches (id, account_id, artist_id, created_at)
     SELECT new_id('wat', now()), $1, id, now() FROM artists WHERE platform_id LIKE 'many%' ORDER BY id LIMIT 9`,
    [ten],
  );
  await pool.query('ANALYZE watches');
  const signedIn = async (accountId: string) => {
    const { cookie } = await seedMember(pool, accountId as AccountId);
    return { accountId, cookie };
  };
  return { ten: await signedIn(ten), fiveHundred: await signedIn(fiveHundred) };
}

/** Returns the pages that both members can open, and saves the larger account's HTML to `bare_pages`. */
export async function pagesOf(pool: pg.Pool, port: number, watchers: Watchers): Promise<ShownPage[]> {
  await pool.query('CREATE TABLE bare_pages (path text PRIMARY KEY, html text NOT NULL)');
  const shown: ShownPage[] = [];
  for (const { method, path } of allPages({} as PageParts)) {
    if (method !== 'GET') continue;
    const ten = await open(pool, port, path, watchers.ten);
    const fiveHundred = await open(pool, port, path, watchers.fiveHundred);
    if (!ten || !fiveHundred) continue;
    const { html } = fiveHundred;
    await pool.query('INSERT INTO bare_pages VALUES ($1, $2)', [fiveHundred.address, html]);
    shown.push({ path, of: { ten, fiveHundred }, html });
  }
  return shown;
}

/** Returns undefined if the account has no such entity, or if the response isn't a page. */
async function open(pool: pg.Pool, port: number, path: string, watcher: Watcher) {
  const below = await fill(pool, path, watcher.accountId);
  if (below === undefined) return undefined;
  const address = `/a/${watcher.accountId}${below === '/' ? '' : below}`;
  const answer = await fetch(`http://127.0.0.1:${port}${address}`, {
    headers: { Cookie: watcher.cookie },
    redirect: 'manual',
  });
  const isPage = answer.status === 200 && answer.headers.get('content-type')?.startsWith('text/html');
  return isPage ? { ...watcher, address, html: await answer.text() } : undefined;
}

const EXAMPLES: Readonly<Record<string, string>> = {
  change: 'SELECT change_id AS id FROM feed_items WHERE account_id = $1 ORDER BY confirmed_at DESC LIMIT 1',
  artist: 'SELECT artist_id AS id FROM watches WHERE account_id = $1 ORDER BY id LIMIT 1',
};

async function fill(pool: pg.Pool, path: string, accountId: string): Promise<string | undefined> {
  const parameter = /:(\w+)/.exec(path)?.[1];
  if (parameter === undefined) return path;
  const example = EXAMPLES[parameter];
  if (example === undefined) return undefined;
  const { rows } = await pool.query<{ id: string }>(example, [accountId]);
  return rows[0] && path.replace(`:${parameter}`, rows[0].id);
}
