import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import type { PlatformClient } from '@artist-watch/catalogue/port';
import { seedAccount } from '@artist-watch/harness/api-fixtures';
import { createAuthority, createCertificate } from '@artist-watch/harness/certificates';
import { useSuite } from '@artist-watch/harness/suite';
import { searchAllowance } from '@artist-watch/persistence/account/usage-store';
import { watchMany } from '@artist-watch/persistence/account/watch-many';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { bulkWatch } from '@artist-watch/track-lookup/bulk-watch';
import { createShortLinks, parseShortLink } from '@artist-watch/track-lookup/short-links';
import { artistSearch } from '@artist-watch/track-lookup/track-lookup';
import { describe, expect, test } from '@jest/globals';

const { databaseUrl, onEnd, pool } = await useSuite();
const database = openDatabase({ url: databaseUrl, applicationName: 'short-links' });
onEnd(() => database.close());
const authority = await createAuthority();
const hosts = [
  'link.deezer.com',
  'deezer.page.link',
  'www.deezer.com',
  'evil.example',
  'open.spotify.com',
  'spotify.link',
];

/** All hosts use one server, which redirects as `targets` says. */
const targets = new Map<string, string>();
const seen: string[] = [];
const web = createHttpsServer(await createCertificate(authority, hosts), (request, response) => {
  const address = `${request.headers.host}${request.url}`;
  seen.push(`${request.method} ${address}`);
  const isPhone = request.headers.host === 'spotify.link' && !/curl/.test(request.headers['user-agent'] ?? '');
  const location = isPhone ? undefined : targets.get(address);
  response.writeHead(location === undefined ? 404 : 302, location === undefined ? {} : { Location: location }).end();
});
const webPort = await listening(web);
onEnd(() => web.close());

const sockets = new Set<Socket>();
let answerConnect = true;
const proxy = createHttpServer();
proxy.on('connect', (_request, client: Socket) => {
  sockets.add(client.on('error', () => undefined));
  if (!answerConnect) return;
  const upstream = connect(webPort, '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    client.pipe(upstream).pipe(client);
  });
  sockets.add(upstream.on('error', () => undefined));
});
const proxyPort = await listening(proxy);
onEnd(() => {
  for (const socket of sockets) socket.destroy();
  proxy.close();
});

const links = createShortLinks({
  platform: 'deezer',
  proxyUrls: [`http://127.0.0.1:${proxyPort}`],
  ca: [authority.cert],
});
onEnd(() => links.close());
const follow = (link: string) => links.follow(new URL(link));

describe('a short link', () => {
  test('a short link is followed to its target with HEAD requests', async () => {
    targets.set('link.deezer.com/s/abc', 'https://www.deezer.com/track/27?utm=x');
    expect(await follow('https://link.deezer.com/s/abc')).toBe('https://www.deezer.com/track/27?utm=x');
    expect(seen.at(-1)).toBe('HEAD link.deezer.com/s/abc');
  });

  test('a short link is followed through other short links', async () => {
    targets.set('deezer.page.link/x', 'https://link.deezer.com/s/hop');
    targets.set('link.deezer.com/s/hop', '/s/end');
    targets.set('link.deezer.com/s/end', 'https://www.deezer.com/track/28');
    expect(await follow('https://deezer.page.link/x')).toBe('https://www.deezer.com/track/28');
  });

  test.each([
    ['an artist', 'https://www.deezer.com/artist/27?host=0&utm_source=user_sharing'],
    ['a missing page', 'https://www.deezer.com/deezer-links-404'],
  ])('a Deezer short link leads to %s, according to the page that it redirects to', async (_what, dest) => {
    const page = `https://link.deezer.com/?awf=${encodeURIComponent(dest)}&dest=${encodeURIComponent(dest)}&gwf=1`;
    targets.set('link.deezer.com/s/34q4AVpwJOJYCStpiK2YD', page);
    expect(await follow('https://link.deezer.com/s/34q4AVpwJOJYCStpiK2YD')).toBe(dest);
    expect(seen.at(-1)).toBe('HEAD link.deezer.com/s/34q4AVpwJOJYCStpiK2YD');
  });

  test('a Deezer short link whose page has no target, or leads in a circle, is not followed', async () => {
    targets.set('link.deezer.com/s/odd', 'https://link.deezer.com/?dest=artist');
    expect(await follow('https://link.deezer.com/s/odd')).toBeUndefined();
    targets.set(
      'link.deezer.com/s/odd',
      `https://link.deezer.com/?dest=${encodeURIComponent('https://link.deezer.com/s/odd')}`,
    );
    expect(await follow('https://link.deezer.com/s/odd')).toBeUndefined();
  });

  test('a Spotify short link is followed on both hosts, even where phones would get a page instead of a redirect', async () => {
    const spotify = createShortLinks({
      platform: 'spotify',
      proxyUrls: [`http://127.0.0.1:${proxyPort}`],
      ca: [authority.cert],
    });
    const track = 'https://open.spotify.com/track/5W3cjX2J3tjhG8zb6u0qHn?si=abc';
    targets.set('open.spotify.com/s/2czejYu', track);
    targets.set('spotify.link/hRkBrwub9xb', 'https://open.spotify.com/s/2czejYu');
    const link = parseShortLink('open.spotify.com/s/2czejYu?x=1', 'spotify') as URL;
    expect(await spotify.follow(link)).toBe(track);
    expect(await spotify.follow(new URL('https://spotify.link/hRkBrwub9xb'))).toBe(track);
    expect(parseShortLink('https://open.spotify.com/album/2czejYu', 'spotify')).toBeUndefined();
    expect(parseShortLink('https://open.spotify.com/s/2czejYu', 'deezer')).toBeUndefined();
    spotify.close();
  });

  test('a short link to another site is reported without a request to that site', async () => {
    targets.set('link.deezer.com/s/evil', 'https://evil.example/track/1');
    expect(await follow('https://link.deezer.com/s/evil')).toBe('https://evil.example/track/1');
    expect(seen.filter((address) => address.includes('evil.example'))).toEqual([]);
  });

  test.each([
    ['nowhere', undefined],
    ['to an invalid URL', 'https://'],
    ['to a short link without TLS', 'http://link.deezer.com/s/plain'],
    ['to a different port', 'https://link.deezer.com:8443/s/port'],
    ['in a circle', 'https://link.deezer.com/s/leads'],
  ])('a short link that leads %s is not followed', async (_, location) => {
    if (location === undefined) targets.delete('link.deezer.com/s/leads');
    else targets.set('link.deezer.com/s/leads', location);
    expect(await follow('https://link.deezer.com/s/leads')).toBeUndefined();
  });

  test('a short link fails with upstream_error if the certificate is for a different host', async () => {
    const strict = createShortLinks({ platform: 'deezer', proxyUrls: [`http://127.0.0.1:${proxyPort}`] });
    await expect(strict.follow(new URL('https://link.deezer.com/s/abc'))).rejects.toMatchObject({
      code: 'upstream_error',
    });
    strict.close();
  });

  test('a short link fails with upstream_timeout if the proxy never responds', async () => {
    answerConnect = false;
    const slow = createShortLinks({
      platform: 'deezer',
      proxyUrls: [`http://127.0.0.1:${proxyPort}`],
      ca: [authority.cert],
    });
    await expect(slow.follow(new URL('https://link.deezer.com/s/abc'))).rejects.toMatchObject({
      code: 'upstream_timeout',
    });
    slow.close();
    answerConnect = true;
  });

  test('a short link is rejected if there is no proxy', async () => {
    const closed = createShortLinks({ platform: 'deezer', proxyUrls: [] });
    await expect(closed.follow(new URL('https://link.deezer.com/s/abc'))).rejects.toMatchObject({
      code: 'unsupported_url',
    });
  });
});

describe('a short link to an artist', () => {
  const artist = 'https://www.deezer.com/artist/27?utm_source=user_sharing';
  const page = `https://link.deezer.com/?dest=${encodeURIComponent(artist)}`;
  const now = new Date('2026-05-01T12:00:00Z');
  const unused = { platform: 'deezer', sourceName: 'Deezer' } as PlatformClient;
  const search = artistSearch(unused, searchAllowance(database), links.follow);
  const searchesOf = async (accountId: string) =>
    (await pool.query('SELECT used FROM search_allowances WHERE account_id = $1', [accountId])).rows[0]?.used ?? 0;

  test('a short link to an artist resolves to the artist and costs a search', async () => {
    const { accountId } = await seedAccount(pool, 'free');
    const caller = { accountId, plan: 'free' } as const;
    targets.set('link.deezer.com/s/artist', page);
    expect(await search.artistAt(new URL('https://link.deezer.com/s/artist'), caller, now)).toBe('27');
    expect(await searchesOf(accountId)).toBe(1);

    targets.set('link.deezer.com/s/track', 'https://www.deezer.com/track/27');
    await expect(search.artistAt(new URL('https://link.deezer.com/s/track'), caller, now)).rejects.toMatchObject({
      code: 'unsupported_url',
    });
    await pool.query('UPDATE search_allowances SET used = 50 WHERE account_id = $1', [accountId]);
    const asked = seen.length;
    await expect(search.artistAt(new URL('https://link.deezer.com/s/artist'), caller, now)).rejects.toMatchObject({
      code: 'daily_allowance_exceeded',
    });
    expect(seen).toHaveLength(asked);
  });

  test('a short link in a list counts as one of its lines and is resolved once', async () => {
    const { accountId } = await seedAccount(pool, 'business');
    const caller = { accountId, plan: 'business' } as const;
    targets.set('link.deezer.com/s/artist', page);
    targets.delete('link.deezer.com/s/nowhere');
    const texts = ['https://link.deezer.com/s/artist', 'link.deezer.com/s/artist', 'https://link.deezer.com/s/nowhere'];
    const lines = await bulkWatch(
      {
        platform: 'deezer',
        find: async () => [],
        artistAt: (link) => search.artistAt(link, caller, now),
        namesDeadlineMs: Number.POSITIVE_INFINITY,
        watch: (artists) => watchMany(database, 1, { accountId, platform: 'deezer', artists, now }),
      },
      texts.map((text, index) => ({ number: index + 1, text })),
    );
    expect(lines.map(({ result, error, artist: watched }) => [result, error?.code, watched?.platform_id])).toEqual([
      ['watched', undefined, '27'],
      ['already_watched', undefined, '27'],
      ['invalid', 'unsupported_url', undefined],
    ]);
    expect(await searchesOf(accountId)).toBe(2);
  });
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  return (server.address() as AddressInfo).port;
}
