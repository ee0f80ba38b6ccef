import { Redis } from 'ioredis';
import type { Bench } from '../bench.js';
import { lineOf, type Round, ratioOfFigure, spreadOfFigure } from '../measuring/rounds.js';
import { startDataServers } from '../processes/data-servers.js';
import { askUndisturbed, leaveMeasuredCore } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import { countRequests } from './counted-requests.js';
import { filterFigures } from './filter-cost.js';
import { createInstallation, type Installation, QUICKLY_FILLED } from './installation.js';
import { type ApiBenchRun, FULL, QUICK } from './run.js';
import { askingBareExpress, bringingMalformedKey, pollingChanges, readingChanges } from './subject.js';
import { saturatedRounds, steadyRounds } from './subject-rounds.js';

export const apiBench: Bench = {
  title: 'The API beside bare express',
  method: `
The bare handler is express, a pool and one prepared statement, a \`json_agg(…)::text\` that is sent as it is: no
authentication, no rate limit, no log, no request id, no input; its items have nine fields, those of the API thirteen. The two that are compared are measured in turn, round by
round, on one core that the server shares with nobody but PostgreSQL, which may use all (as far as the machine has
\`taskset\` and a second core); Redis and the load have the others, and the load goes first on them. A ratio is taken of
two neighbouring rounds, and shown is the median of the ratios. Requests per second are what a caller gets, with the
database as busy as the server; CPU is that of the server's process alone. The tail is that of requests that arrive evenly
spaced at half the rate that the same round found to be the most, with the server free to use all cores; the first request
of each connection does not count.`,

  async run({ quick, profileDirectory, say }) {
    leaveMeasuredCore();
    askUndisturbed();
    const extent = quick ? QUICK : FULL;
    const data = await startDataServers(QUICKLY_FILLED, { postgresOnAllCores: true });
    const redis = new Redis(data.redisUrl);
    const installations: Installation[] = [];
    const install = async (name: string, changes: number) => {
      const installation = await createInstallation({ data, name, changes, profileDirectory });
      installations.push(installation);
      return installation;
    };
    try {
      const few = await install('few', extent.fewChanges);
      const run: ApiBenchRun = { data, redis, extent, sayRound: (round) => say(lineOf(round)) };
      const api = await few.startApi();
      const bare = await few.startBareExpress();
      const figures = [...(await besideBareExpress(few, api, bare, run)), ...(await counted(few, run))];
      const many = await install('many', extent.manyChanges);
      const costs = [...(await sameCost(few, api, many, run)), ...(await filterFigures(few, many, extent.rounds))];
      return [...figures, ...costs];
    } finally {
      await Promise.all(installations.map((installation) => installation.stop()));
      redis.disconnect();
      await data.stop();
    }
  },
};

type Server = Awaited<ReturnType<Installation['startApi']>>;

async function besideBareExpress(few: Installation, api: Server, bare: Server, run: ApiBenchRun): Promise<Figure[]> {
  const changes = readingChanges('GET /v1/changes', api, few.dataset.ofOneArtist);
  const bareChanges = askingBareExpress('bare express', bare, '/changes', 200);
  const poll = pollingChanges('a poll that finds nothing new', api, few.dataset.ofOneArtist);
  const malformed = bringingMalformedKey('401', api);
  const bareMalformed = askingBareExpress('bare express 401', bare, '/unauthorized', 401);

  const reads = await saturatedRounds([changes, bareChanges, poll], run);
  const refusals = await saturatedRounds([malformed, bareMalformed], run);
  const steady = await steadyRounds([changes, bareChanges], run);
  const speed = (rounds: Round[], one: string, to: string) => ratioOfFigure(rounds, 'requestsPerSecond', one, to);
  const cpu = (rounds: Round[], one: string, to: string) => ratioOfFigure(rounds, 'serverCpuUs', to, one);
  return [
    {
      name: '`GET /v1/changes`, 200 items: requests per second, to bare express',
      value: speed(reads, changes.name, bareChanges.name),
      limit: { atLeast: 1.3 },
    },
    {
      name: 'a poll that finds nothing new: requests per second, to bare express with 200 items',
      value: speed(reads, poll.name, bareChanges.name),
      limit: { atLeast: 3 },
    },
    {
      name: '`GET /v1/changes`, 200 items: requests per second of CPU, to bare express',
      value: cpu(reads, changes.name, bareChanges.name),
    },
    ...absolute('`GET /v1/changes`, 200 items', reads, changes.name),
    ...absolute('a poll that finds nothing new', reads, poll.name),
    ...absolute('bare express, 200 items', reads, bareChanges.name),
    {
      name: '401 for a malformed key: requests per second, to bare express',
      value: speed(refusals, malformed.name, bareMalformed.name),
      limit: { atLeast: 0.8 },
    },
    {
      name: '401 for a malformed key: requests per second of CPU, to bare express',
      value: cpu(refusals, malformed.name, bareMalformed.name),
      limit: { atLeast: 0.8 },
    },
    ...absolute('401 for a malformed key', refusals, malformed.name),
    {
      name: '`GET /v1/changes` at half the saturating load: p99 to the median',
      value: spreadOfFigure(steady, changes.name, 'p99ToMedian'),
    },
    {
      name: '`GET /v1/changes` at half the saturating load: p99 to the median, to that of bare express at half of its own',
      value: ratioOfFigure(steady, 'p99ToMedian', changes.name, bareChanges.name),
      limit: { atMost: 1 },
    },
    {
      name: '`GET /v1/changes` at half the saturating load: median',
      value: spreadOfFigure(steady, changes.name, 'p50Ms'),
      unit: 'ms',
    },
    {
      name: 'bare express at half its saturating load: p99 to the median',
      value: spreadOfFigure(steady, bareChanges.name, 'p99ToMedian'),
    },
  ];
}

async function counted(few: Installation, run: ApiBenchRun): Promise<Figure[]> {
  const { redisRoundTrips, statements, keyLookUps } = await countRequests(few, run);
  return [
    { name: 'Redis round trips for each request', value: redisRoundTrips, limit: { atMost: 1 } },
    { name: 'statements for each request, key look-ups aside', value: statements, limit: { atMost: 1 } },
    { name: 'key look-ups for each request, one after the other', value: keyLookUps },
  ];
}

async function sameCost(few: Installation, api: Server, many: Installation, run: ApiBenchRun): Promise<Figure[]> {
  const one = readingChanges('1 artist', api, few.dataset.ofOneArtist);
  const fiveHundred = readingChanges('500 artists', api, few.dataset.ofManyArtists);
  const byWatches = await saturatedRounds([one, fiveHundred], run);

  const small = readingChanges(`${run.extent.fewChanges} changes`, api, few.dataset.ofOneArtist);
  const large = readingChanges(`${run.extent.manyChanges} changes`, await many.startApi(), many.dataset.ofOneArtist);
  const bySize = await saturatedRounds([small, large], run);
  return [
    ...costFigures('an account that watches 500 artists, to one that watches 1', byWatches, fiveHundred.name, one.name),
    ...costFigures(`${large.name} in the table, to ${small.name}`, bySize, large.name, small.name),
  ];
}

function costFigures(name: string, rounds: Round[], one: string, to: string): Figure[] {
  return [
    {
      name: `${name}: requests per second`,
      value: ratioOfFigure(rounds, 'requestsPerSecond', one, to),
      limit: { atLeast: 0.8 },
    },
    {
      name: `${name}: CPU of server, PostgreSQL and Redis`,
      value: ratioOfFigure(rounds, 'allCpuUs', one, to),
      limit: { atMost: 1.2 },
    },
  ];
}

function absolute(name: string, rounds: Round[], variant: string): Figure[] {
  return [
    { name, value: spreadOfFigure(rounds, variant, 'requestsPerSecond'), unit: 'requests per second', digits: 0 },
    { name, value: spreadOfFigure(rounds, variant, 'serverCpuUs'), unit: 'µs of CPU', digits: 0 },
  ];
}
