import { randomBytes } from 'node:crypto';
import { signInProofs } from '@artist-watch/domain/account/credentials';
import { unsubscribeProofs } from '@artist-watch/domain/account/mail-preferences';
import { memberMails } from '@artist-watch/mail/kinds/member-mails';
import { signInMails } from '@artist-watch/mail/kinds/sign-in';
import { letterHtml, letterText } from '@artist-watch/mail/letter';
import { type Database, openDatabase } from '@artist-watch/persistence/database/database';
import { queueDigests } from '@artist-watch/persistence/mail/queue-digests';
import { signInStore } from '@artist-watch/persistence/sign-in/requests';
import { newId } from '@artist-watch/runtime/ids';
import type pg from 'pg';
import type { Bench, BenchOptions } from '../bench.js';
import { interleave } from '../measuring/rounds.js';
import { type BenchServers, onServers } from '../processes/bench-servers.js';
import { familyCpuMs } from '../processes/family-cpu.js';
import type { Figure } from '../reporting/figure.js';

const MORNING = new Date('2026-05-03T08:01:00.000Z');
const FULL = { accounts: 10, artists: 500, changes: 200, rounds: 9, signIns: 300 };
const QUICK: typeof FULL = { accounts: 1, artists: 20, changes: 10, rounds: 1, signIns: 5 };

const KEY = randomBytes(32);
const PROOFS = signInProofs(KEY);
const KINDS = { ...signInMails(PROOFS, 'Deezer'), ...memberMails(unsubscribeProofs(KEY), 20) };
const CONTEXT = {
  link: (path: string) => `https://dashboard.example${path}`,
  recipient: 'ann@label.example',
  accountName: 'Label',
  zone: 'UTC',
  now: MORNING,
};

export const mailsBench: Bench = {
  title: 'Emails to members',
  method: `
- **A digest.** Ten members of ten accounts, each watching 500 artists with 96 polls and 200 changes in the day. Production
  statements create the digests, and the mailer renders text and HTML. CPU time of this process and of PostgreSQL, per digest.
- **A sign-in request**, alternately for a member's address and for an unknown one: the time until it is stored. The response is
  the same afterwards.`,
  run(options) {
    const extent = options.quick ? QUICK : FULL;
    return onServers({ postgresSettings: { shared_buffers: '256MB' } }, async (servers) => {
      const database = openDatabase({ url: servers.databaseUrl, poolSize: 1, applicationName: 'bench' });
      const digests = await measureDigests(servers, database, extent, options);
      const signIns = await measureSignIns(database, extent, options);
      await database.close();
      return [...digests, ...signIns];
    });
  },
};

async function measureDigests(
  { postgresPid }: BenchServers,
  { pool }: Database,
  { accounts, artists, changes, rounds }: typeof FULL,
  { say }: BenchOptions,
): Promise<Figure[]> {
  await seedSubjects(pool, { accounts, artists, changes });
  let bytes = 0;
  const measure = async () => {
    await pool.query("DELETE FROM mails WHERE kind = 'digest'");
    await pool.query('UPDATE members SET digest_day = NULL, digest_until = NULL');
    const before = process.cpuUsage();
    const postgresBeforeMs = familyCpuMs(postgresPid);
    let made = 0;
    for (let page = 1; page > 0; made += page) page = await queueDigests(pool, MORNING);
    if (made !== accounts) throw new Error(`${made} digests were created instead of ${accounts}.`);
    const { rows } = await pool.query<{ data: unknown }>("SELECT data FROM mails WHERE kind = 'digest'");
    for (const row of rows) {
      const letter = KINDS.digest?.write(row.data, CONTEXT);
      if (!letter) throw new Error('A digest could not be rendered.');
      bytes = letterHtml(letter, 'Label').length + letterText(letter).length;
    }
    const { user, system } = process.cpuUsage(before);
    const postgresMs = familyCpuMs(postgresPid) - postgresBeforeMs;
    return { ownMs: (user + system) / 1_000 / accounts, allMs: ((user + system) / 1_000 + postgresMs) / accounts };
  };
  const measured = await interleave([{ name: 'digest', measure }], rounds, ({ round, figures }) =>
    say(`digest, round ${round}: ${figures.allMs?.toFixed(1)} ms, ${figures.ownMs?.toFixed(1)} of them in Node`),
  );
  say(`a digest has ${bytes} characters of HTML and text`);
  const figure = (name: string) => ({ value: measured.spread(name, 'digest'), unit: 'ms', digits: 1 });
  return [
    { name: `CPU time of a digest about ${artists} artists`, ...figure('allMs'), atMost: 1_000 },
    { name: 'CPU time of a digest, in the Node process only', ...figure('ownMs') },
  ];
}

async function measureSignIns(
  database: Database,
  { signIns, rounds }: typeof FULL,
  { say }: BenchOptions,
): Promise<Figure[]> {
  const store = signInStore({ reads: database, writes: database }, PROOFS);
  let asked = 0;
  const variant = (name: 'known' | 'unknown') => ({
    name,
    async measure() {
      const addresses = Array.from({ length: signIns }, () => `${name}-${++asked}@label.example`);
      if (name === 'known') await seedMembers(database.pool, addresses);
      const startedAtMs = performance.now();
      for (const email of addresses) {
        const now = new Date();
        const id = newId('sgn', now);
        const began = await store.begin({
          id,
          email,
          clientNetwork: email,
          place: email,
          browserSha256: Buffer.alloc(32),
          now,
        });
        if (!began) throw new Error(`${email} was refused.`);
      }
      return { usEach: ((performance.now() - startedAtMs) * 1_000) / signIns };
    },
  });
  const variants = [variant('known'), variant('unknown')];
  await interleave(variants, 1);
  const measured = await interleave(variants, rounds, ({ variant: name, round, figures }) =>
    say(`sign-in for ${name} addresses, round ${round}: ${figures.usEach?.toFixed(0)} µs`),
  );
  const known = measured.spread('usEach', 'known');
  return [
    { name: 'a sign-in request for a known address', value: known, unit: 'µs', digits: 0 },
    {
      name: 'known address, relative to an unknown address',
      value: measured.ratio('usEach', 'known', 'unknown'),
      atMost: 1.1,
    },
  ];
}

const READINGS_A_DAY = 96;

/** Each account has one member, who gets a daily digest. All artists changed on the same day. */
async function seedSubjects(
  pool: pg.Pool,
  { accounts, artists, changes }: { readonly accounts: number; readonly artists: number; readonly changes: number },
): Promise<void> {
  await pool.query(
    `WITH account AS (
       INSERT INTO accounts (id, name, plan, created_at)
       SELECT new_id('acc', $1::timestamptz - interval '9 days'), 'Label ' || n, 'business', $1::timestamptz - interval '9 days'
         FROM generate_series(1, $2) n RETURNING id
     ), member AS (
       INSERT INTO members (id, account_id, email, role, created_at, joined_at, digest)
       SELECT new_id('mem', $1), id, id || '@label.example', 'owner', $1::timestamptz - interval '9 days',
              $1::timestamptz - interval '9 days', 'daily' FROM account
     ), artist AS (
       INSERT INTO artists (id, platform, platform_id, name, created_at)
       SELECT new_id('art', $1), 'deezer', 'digest-' || n, 'Artist ' || n, $1::timestamptz - interval '9 days'
         FROM generate_series(1, $3) n RETURNING id
     ), day AS (
       INSERT INTO artist_days (artist_id, day, readings, complete_readings)
       SELECT id, '2026-05-02', ${READINGS_A_DAY}, ${READINGS_A_DAY - 1} FROM artist
     ), watch AS (
       INSERT INTO watches (id, account_id, artist_id, created_at)
       SELECT new_id('wat', $1), account.id, artist.id, $1::timestamptz - interval '9 days' FROM account, artist
     ), change AS (
       INSERT INTO changes (id, artist_id, state, type, severity, entity_type, entity_id, entity_name, summary,
                            detected_at, confirmed_at, webhook_body)
       SELECT new_id('chg', at), id, 'confirmed', 'release_title_changed', 'warning', 'release', n::text, 'Release ' || n,
              'The title of the release “Release ' || n || '” changed from “A” to “B”.', at, at, '{}'
         FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM artist LIMIT $4) a,
              LATERAL (SELECT $1::timestamptz - interval '1 hour' - n * interval '1 second' AS at) i
       RETURNING id, confirmed_at, severity
     )
     INSERT INTO feed_items (account_id, confirmed_at, change_id, severity)
     SELECT account.id, change.confirmed_at, change.id, change.severity FROM account, change`,
    [MORNING, accounts, artists, changes],
  );
  await pool.query('ANALYZE');
}

async function seedMembers(pool: pg.Pool, emails: readonly string[]): Promise<void> {
  await pool.query(
    `WITH account AS (INSERT INTO accounts (id, name, plan, created_at) VALUES (new_id('acc', now()), 'Label', 'business', now())
       RETURNING id)
     INSERT INTO members (id, account_id, email, role, created_at, digest)
     SELECT new_id('mem', now()), account.id, email, 'member', now(), 'never' FROM account, unnest($1::text[]) email`,
    [emails],
  );
}
