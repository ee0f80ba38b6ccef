import { countRoundTrips } from '@artist-watch/harness/count-round-trips';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { startRelay } from '@artist-watch/harness/relay';
import type { Bench } from '../bench.js';
import { HttpConnection } from '../load/http-connection.js';
import { lineOf, type Rounds } from '../measuring/rounds.js';
import { onServers } from '../processes/bench-servers.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import { leaveMeasuredCore, raisePriority } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { filterFigures } from './filter-cost.js';
import { createInstallation, type Installation, QUICKLY_FILLED } from './installation.js';
import { type ApiBenchRun, FULL, QUICK } from './run.js';
import {
  afterSubject,
  bareExpressSubject,
  changesSubject,
  malformedKeySubject,
  pollSubject,
  saturatedRounds,
  steadyRounds,
} from './subject.js';

export const apiBench: Bench = {
  title: 'The API compared with bare Express',
  method: `
The bare handler is Express, a pool and one prepared statement whose \`json_agg(…)::text\` is sent unchanged: no authentication, rate
limit, log, request id or input checks. Its items have nine fields, the API's thirteen. Both are measured alternately on one core,
which they share only with PostgreSQL; PostgreSQL may use all cores. Redis and the load use the other cores, and the load has
priority there. A ratio compares two consecutive rounds.

Requests per second include the database; CPU is that of the server's process alone. The tail is measured with evenly spaced
requests at half the rate that the same round found as the maximum, and with all cores for the server. The first request of each
connection does not count.`,

  run({ quick, profileDirectory, say }) {
    leaveMeasuredCore();
    raisePriority();
    const options = { postgresSettings: QUICKLY_FILLED, postgresOnAllCores: true, profileDirectory };
    return onServers(options, async (servers) => {
      const run: ApiBenchRun = { servers, extent: quick ? QUICK : FULL, printRound: (round) => say(lineOf(round)) };
      const few = await createInstallation(servers, 'few', run.extent.fewChanges);
      const api = await few.startApi();
      const bare = await few.startBareExpress();
      const figures = [...(await compareWithBareExpress(few, api, bare, run)), ...(await counted(few, run))];
      const many = await createInstallation(servers, 'many', run.extent.manyChanges);
      figures.push(...(await compareSizes(few, api, many, run)));
      figures.push(...(await filterFigures(servers, few, many, run.extent.rounds)));
      figures.push(...(await comparePolling(few, many, run)));
      return figures;
    });
  },
};

async function compareWithBareExpress(
  few: Installation,
  api: MeasuredProcess,
  bare: MeasuredProcess,
  run: ApiBenchRun,
): Promise<Figure[]> {
  const changes = changesSubject('GET /v1/changes', api, few.dataset.ofOneArtist);
  const bareChanges = bareExpressSubject('bare Express', bare, '/changes', 200);
  const poll = pollSubject('a poll that finds nothing new', api, few.dataset.ofOneArtist);
  const malformed = malformedKeySubject('401', api);
  const bareMalformed = bareExpressSubject('bare Express 401', bare, '/unauthorized', 401);

  const reads = await saturatedRounds([changes, bareChanges, poll], run);
  const refusals = await saturatedRounds([malformed, bareMalformed], run);
  const steady = await steadyRounds([changes, bareChanges], run);
  const speed = (rounds: Rounds, one: string, to: string) => rounds.ratio('requestsPerSecond', one, to);
  const cpu = (rounds: Rounds, one: string, to: string) => rounds.ratio('serverCpuUs', to, one);
  const page = '`GET /v1/changes`, 200 items';
  const tail = '`GET /v1/changes` at half the saturating load';
  return [
    {
      name: `${page}: requests per second, relative to bare Express`,
      value: speed(reads, changes.name, bareChanges.name),
      atLeast: 1.3,
    },
    {
      name: `${poll.name}: requests per second, relative to bare Express with 200 items`,
      value: speed(reads, poll.name, bareChanges.name),
      atLeast: 3,
    },
    {
      name: `${page}: requests per second of CPU time, relative to bare Express`,
      value: cpu(reads, changes.name, bareChanges.name),
    },
    ...absolute(page, reads, changes.name),
    ...absolute(poll.name, reads, poll.name),
    ...absolute('bare Express, 200 items', reads, bareChanges.name),
    {
      name: '401 for a malformed key: requests per second, relative to bare Express',
      value: speed(refusals, malformed.name, bareMalformed.name),
      atLeast: 0.8,
    },
    {
      name: '401 for a malformed key: requests per second of CPU time, relative to bare Express',
      value: cpu(refusals, malformed.name, bareMalformed.name),
      atLeast: 0.8,
    },
    ...absolute('401 for a malformed key', refusals, malformed.name),
    { name: `${tail}: p99 relative to the median`, value: steady.spread('p99ToMedian', changes.name) },
    {
      name: `${tail}: p99 relative to the median, compared with bare Express at half its rate`,
      value: steady.ratio('p99ToMedian', changes.name, bareChanges.name),
      atMost: 1,
    },
    { name: `${tail}: median`, value: steady.spread('p50Ms', changes.name), unit: 'ms' },
    {
      name: 'bare Express at half its saturating load: p99 relative to the median',
      value: steady.spread('p99ToMedian', bareChanges.name),
    },
  ];
}

async function counted(few: Installation, run: ApiBenchRun): Promise<Figure[]> {
  const { redisRoundTrips, statements, keyLookups } = await countRequests(few, run);
  return [
    { name: 'Redis round trips per request', value: redisRoundTrips, atMost: 1 },
    { name: 'statements per request, without key lookups', value: statements, atMost: 1 },
    { name: 'key lookups per request, for sequential requests', value: keyLookups },
  ];
}

async function compareSizes(
  few: Installation,
  api: MeasuredProcess,
  many: Installation,
  run: ApiBenchRun,
): Promise<Figure[]> {
  const one = changesSubject('1 artist', api, few.dataset.ofOneArtist);
  const fiveHundred = changesSubject('500 artists', api, few.dataset.ofManyArtists);
  const byWatches = await saturatedRounds([one, fiveHundred], run);

  const small = changesSubject(`${run.extent.fewChanges} changes`, api, few.dataset.ofOneArtist);
  const large = changesSubject(`${run.extent.manyChanges} changes`, await many.startApi(), many.dataset.ofOneArtist);
  const bySize = await saturatedRounds([small, large], run);
  return [
    ...costFigures('an account with 500 artists, relative to one with 1 artist', byWatches, fiveHundred.name, one.name),
    ...costFigures(`${large.name} in the table, relative to ${small.name}`, bySize, large.name, small.name),
  ];
}

async function comparePolling(few: Installation, many: Installation, run: ApiBenchRun): Promise<Figure[]> {
  const page = '`GET /v1/changes?after=…`, 200 items';
  const small = await afterSubject(`${page}, ${run.extent.fewChanges} changes`, run.servers, few);
  const large = await afterSubject(`${page}, ${run.extent.manyChanges} changes`, run.servers, many);
  const rounds = await saturatedRounds([small, large], run);
  return costFigures(
    `${large.name} in the table, relative to ${run.extent.fewChanges}`,
    rounds,
    large.name,
    small.name,
  );
}

function costFigures(name: string, rounds: Rounds, one: string, to: string): Figure[] {
  return [
    { name: `${name}: requests per second`, value: rounds.ratio('requestsPerSecond', one, to), atLeast: 0.8 },
    { name: `${name}: CPU time of API, PostgreSQL and Redis`, value: rounds.ratio('allCpuUs', one, to), atMost: 1.2 },
  ];
}

function absolute(name: string, rounds: Rounds, variant: string): Figure[] {
  return [
    { name, value: rounds.spread('requestsPerSecond', variant), unit: 'requests per second', digits: 0 },
    { name, value: rounds.spread('serverCpuUs', variant), unit: 'µs of CPU time', digits: 0 },
  ];
}

/** The API caches the result of this statement for a short time. */
const KEY_LOOKUP = 'find-principal';

/** The API runs these statements every 30 s rather than per request, so they aren't counted. */
const BATCHED_WRITES = /INSERT INTO request_days|UPDATE api_keys/;

/** Returns averages per request. */
async function countRequests(
  { databaseUrl, dataset, startApi }: Installation,
  { servers: { redis, redisUrl }, extent }: ApiBenchRun,
) {
  const statements = recordStatements();
  const roundTrips = countRoundTrips();
  const toPostgres = await startRelay(databaseUrl, statements.observe);
  const toRedis = await startRelay(redisUrl, roundTrips.observe);
  try {
    const server = await startApi({ DATABASE_URL: toPostgres.url, REDIS_URL: toRedis.url });
    const { port, requests, status } = changesSubject('counted', server, dataset.ofOneArtist.slice(0, 1));
    const connection = await HttpConnection.open(port);
    const ask = async () => {
      const answered = await connection.request(requests[0] as Uint8Array);
      if (answered !== status) throw new Error(`The server responded with ${answered} instead of ${status}.`);
    };
    // Waits until the server uses Redis, because a new server initially counts requests locally.
    await redis.flushdb();
    do await ask();
    while ((await redis.dbsize()) === 0);
    statements.take();
    roundTrips.take();
    for (let count = 0; count < extent.countedRequests; count += 1) await ask();
    connection.close();
    // If the server kept running, it would try to reconnect to the closed relays during later measurements.
    await server.stop();
    const executed = statements.take().filter((statement) => !BATCHED_WRITES.test(statement));
    const keyLookups = executed.filter((statement) => statement === KEY_LOOKUP).length;
    return {
      redisRoundTrips: roundTrips.take() / extent.countedRequests,
      statements: (executed.length - keyLookups) / extent.countedRequests,
      keyLookups: keyLookups / extent.countedRequests,
    };
  } finally {
    await Promise.all([toPostgres.close(), toRedis.close()]);
  }
}
