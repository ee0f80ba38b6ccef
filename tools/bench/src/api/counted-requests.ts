import { countRoundTrips } from '@artist-watch/harness/count-round-trips';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { startRelay } from '@artist-watch/harness/relay';
import { HttpConnection } from '../load/http-connection.js';
import type { Installation } from './installation.js';
import type { ApiBenchRun } from './run.js';
import { readingChanges } from './subject.js';

/** The statement by which the api learns whose key it is; the answer is believed for a moment. */
const KEY_LOOK_UP = 'find-principal';

/** Written every 30 s for all requests of the time, so no part of one. */
const BATCHED_WRITES = /INSERT INTO request_days|UPDATE api_keys/;

/**
 * Sends requests one after the other to an api whose ways to PostgreSQL and Redis are watched.
 *
 * @returns for each request, on average.
 */
export async function countRequests(
  { databaseUrl, dataset, startApi }: Installation,
  { servers: { redis, redisUrl }, extent }: ApiBenchRun,
) {
  const statements = recordStatements();
  const roundTrips = countRoundTrips();
  const toPostgres = await startRelay(databaseUrl, statements.observe);
  const toRedis = await startRelay(redisUrl, roundTrips.observe);
  try {
    const server = await startApi({ DATABASE_URL: toPostgres.url, REDIS_URL: toRedis.url });
    const { port, requests, status } = readingChanges('counted', server, dataset.ofOneArtist.slice(0, 1));
    const connection = await HttpConnection.open(port);
    const ask = async () => {
      const answered = await connection.request(requests[0] as Uint8Array);
      if (answered !== status) throw new Error(`The server answered ${answered} in place of ${status}.`);
    };
    // A server that has just started counts by itself until it has reached Redis.
    await redis.flushdb();
    do await ask();
    while ((await redis.dbsize()) === 0);
    statements.take();
    roundTrips.take();
    for (let count = 0; count < extent.countedRequests; count += 1) await ask();
    connection.close();
    // It must not be left to look for servers that are gone while others are measured.
    await server.stop();
    const executed = statements.take().filter((statement) => !BATCHED_WRITES.test(statement));
    const keyLookUps = executed.filter((statement) => statement === KEY_LOOK_UP).length;
    return {
      redisRoundTrips: roundTrips.take() / extent.countedRequests,
      statements: (executed.length - keyLookUps) / extent.countedRequests,
      keyLookUps: keyLookUps / extent.countedRequests,
    };
  } finally {
    await Promise.all([toPostgres.close(), toRedis.close()]);
  }
}
