import { setTimeout as pause } from 'node:timers/promises';
import type { AccountId } from '@artist-watch/domain/ids';
import { seedMember } from '@artist-watch/harness/dashboard-fixtures';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { startRelay } from '@artist-watch/harness/relay';
import { createInstallation, type Installation, QUICKLY_FILLED } from '../api/installation.js';
import { changesSubject } from '../api/subject.js';
import type { Bench } from '../bench.js';
import { HttpConnection } from '../load/http-connection.js';
import { saturate } from '../load/load.js';
import { interleave } from '../measuring/rounds.js';
import { type BenchServers, onServers } from '../processes/bench-servers.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { ask, figuresOfPage, measurePages, pageRequest } from './page-rounds.js';
import { pagesOf, type ShownPage, watchersOf } from './shown-pages.js';

const FULL = { few: 10_000, many: 5_000_000, rounds: 9, requests: 40, apiRounds: 8, apiRoundMs: 5_000 };
const QUICK = { few: 2_500, many: 5_000, rounds: 1, requests: 2, apiRounds: 1, apiRoundMs: 300 };

const MEMBERS = 50;
const API_CONNECTIONS = 16;

export const dashboardBench: Bench = {
  title: "The dashboard's pages",
  method: `
Every page that a member can open by its path, for an account that watches 10 artists and one that watches 500, each with 1,000
changes of the last 23 hours. Statements are counted between the dashboard and PostgreSQL, including the session lookup.

The bare handler is Express, a pool and one prepared statement that reads the exact bytes of the page. Both get one request at a
time, alternately. The table shows the time to the first byte, to which the limit applies, and to the last byte. They are equal
except for pages that send their frame early (docs/adr/0036). A ratio compares two consecutive rounds; the last two are of whole
pages. The table of changes has 10,000 rows, and 5,000,000 for the last ratio.

API throughput is measured with 16 concurrent requests for 200 changes, without and with 50 members who each open a page every 5 s,
all pages in rotation. The API has its own core, except for PostgreSQL; the dashboard and the load share the other.`,

  run({ quick, only, profileDirectory, say }) {
    leaveMeasuredCore();
    const extent = quick ? QUICK : FULL;
    const options = { postgresSettings: QUICKLY_FILLED, postgresOnAllCores: true, profileDirectory };
    return onServers(options, async (servers) => {
      const few = await createInstallation(servers, 'few', extent.few);
      const many = await createInstallation(servers, 'many', extent.many);
      const counted = await countedPages(servers, few, only);
      const ofMany = await shownPages(servers, many);

      const portOfFew = portOf(await startDashboard(servers, 'dashboard', few.databaseUrl));
      const portOfMany = portOf(await startDashboard(servers, 'dashboard-many', many.databaseUrl));
      const portOfBare = portOf(await few.startBareExpress());
      const measured = counted.map(({ page }) => {
        const pageOfMany = ofMany.find(({ path: same }) => same === page.path);
        if (!pageOfMany) throw new Error(`The account with many changes has no page ${page.path}.`);
        return {
          page,
          of: {
            ten: pageRequest(page.of.ten, portOfFew),
            fiveHundred: pageRequest(page.of.fiveHundred, portOfFew),
            bare: pageRequest(page.of.fiveHundred, portOfBare),
            manyChangesTen: pageRequest(pageOfMany.of.ten, portOfMany),
            manyChanges: pageRequest(pageOfMany.of.fiveHundred, portOfMany),
          },
        };
      });
      const rounds = await measurePages(measured, extent, say);
      const figures = counted.flatMap(({ page, statements }) => figuresOfPage(page, statements, rounds));
      if (only !== undefined) return figures;
      const pages = counted.map(({ page }) => page);
      return [...figures, ...(await besideMembers(servers, few, pages, extent, say))];
    });
  },
};

function startDashboard({ startService }: BenchServers, name: string, databaseUrl: string, isBeside = false) {
  const settings = {
    DATABASE_URL: databaseUrl,
    DASHBOARD_PORT: '0',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'mail@artist-watch.test',
  };
  return startService('dashboard', settings, { name, isBeside });
}

/** @param only comma-separated paths. Default: all. */
async function countedPages(servers: BenchServers, { databaseUrl, dataset }: Installation, only: string | undefined) {
  const statements = recordStatements();
  const relay = await startRelay(databaseUrl, statements.observe);
  try {
    const pool = servers.openPool(databaseUrl, 2);
    const counting = await startDashboard(servers, 'dashboard-counting', relay.url);
    const shown = await pagesOf(pool, portOf(counting), await watchersOf(pool, dataset));
    const pages = shown.filter(({ path: own }) => only === undefined || only.split(',').includes(own));
    const counts = await countStatements(portOf(counting), pages, statements.take);
    await counting.stop();
    return pages.map((page) => ({ page, statements: counts.get(page.path) ?? 0 }));
  } finally {
    await relay.close();
  }
}

async function shownPages(servers: BenchServers, { databaseUrl, dataset }: Installation): Promise<ShownPage[]> {
  const pool = servers.openPool(databaseUrl, 2);
  const dashboard = await startDashboard(servers, 'dashboard-showing', databaseUrl);
  const pages = await pagesOf(pool, portOf(dashboard), await watchersOf(pool, dataset));
  await dashboard.stop();
  return pages;
}

/** Returns the maximum number of statements per page request, once the session and plans are cached. */
async function countStatements(port: number, pages: readonly ShownPage[], take: () => string[]) {
  const counts = new Map<string, number>();
  const connection = await HttpConnection.open(port);
  for (const page of pages) {
    for (let turn = 0; turn < 3; turn += 1) {
      take();
      await ask(connection, pageRequest(page.of.fiveHundred, port).request);
      const own = take().filter((statement) => !BESIDE.test(statement));
      if (turn > 0) counts.set(page.path, Math.max(counts.get(page.path) ?? 0, own.length));
    }
  }
  connection.close();
  return counts;
}

const BESIDE = /mail|digest|BEGIN|COMMIT|ROLLBACK/i;

async function besideMembers(
  servers: BenchServers,
  installation: Installation,
  pages: readonly ShownPage[],
  { apiRounds, apiRoundMs }: typeof FULL,
  say: (line: string) => void,
): Promise<Figure[]> {
  const port = portOf(await startDashboard(servers, 'dashboard-beside', installation.databaseUrl, true));
  const reads = changesSubject('reads', await installation.startApi(), installation.dataset.ofOneArtist);
  const members = await requestsOfMembers(servers, installation, pages, port);
  const variant = (name: string, requests: ReadonlyArray<readonly Uint8Array[]>) => ({
    name,
    async measure() {
      await servers.redis.flushdb();
      const stopMembers = await startBusyMembers(port, requests);
      const { answered, durationMs } = await saturate(reads, API_CONNECTIONS, apiRoundMs);
      return { perSecond: (answered / durationMs) * 1_000, pages: await stopMembers() };
    },
  });
  const [alone, beside] = ['API reads', `API reads while ${MEMBERS} members use the dashboard`] as const;
  const variants = [variant(alone, []), variant(beside, members)];
  for (const { measure } of variants) await measure();
  const rounds = await interleave(variants, apiRounds, ({ variant: name, round, figures }) =>
    say(`${name}, round ${round}: ${figures.perSecond?.toFixed(0)} per second, ${figures.pages} pages`),
  );
  const ratio = rounds.ratio('perSecond', beside, alone);
  return [
    { name: alone, value: rounds.spread('perSecond', alone), unit: 'requests per second', digits: 0 },
    { name: beside, value: rounds.spread('perSecond', beside), unit: 'requests per second', digits: 0 },
    { name: `${beside}, relative to API reads alone`, value: ratio, atLeast: 0.95 },
  ];
}

async function requestsOfMembers(
  { openPool }: BenchServers,
  { databaseUrl }: Installation,
  pages: readonly ShownPage[],
  port: number,
): Promise<Uint8Array[][]> {
  const pool = openPool(databaseUrl, 2);
  const members: Uint8Array[][] = [];
  for (let index = 0; index < MEMBERS; index += 1) {
    const kind = index % 2 === 0 ? 'ten' : 'fiveHundred';
    const { cookie } = await seedMember(pool, pages[0]?.of[kind].accountId as AccountId);
    members.push(pages.map(({ of }) => pageRequest({ address: of[kind].address, cookie }, port).request));
  }
  return members;
}

function portOf({ addresses }: MeasuredProcess): number {
  return Number(addresses.dashboard);
}

const LOOK_MS = 5_000;

/**
 * @returns a function that stops the members and returns how many pages they opened. It rejects if any page didn't
 * return 200.
 */
async function startBusyMembers(
  port: number,
  pagesOf: ReadonlyArray<readonly Uint8Array[]>,
): Promise<() => Promise<number>> {
  const stopping = new AbortController();
  let opened = 0;
  const members = pagesOf.map(async (pages, index) => {
    const connection = await HttpConnection.open(port);
    const wait = (ms: number) => pause(ms, undefined, { signal: stopping.signal }).catch(() => undefined);
    try {
      await wait((index * LOOK_MS) / pagesOf.length);
      for (let turn = index; !stopping.signal.aborted; turn += 1) {
        await ask(connection, pages[turn % pages.length] as Uint8Array);
        opened += 1;
        await wait(LOOK_MS);
      }
    } finally {
      connection.close();
    }
  });
  const ended = Promise.all(members);
  ended.catch(() => undefined);
  return async () => {
    stopping.abort();
    await ended;
    return opened;
  };
}
