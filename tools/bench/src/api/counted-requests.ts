import { countRoundTrips } from '@artist-watch/harness/count-round-trips';
import { recordStatements } from '@artist-watch/harness/record-statements';
import { startRelay } from '@artist-watch/harness/relay';
import { HttpConnection } from '../load/http-connection.js';
import type { Installation } from './installation.js';
import type { ApiBenchRun } from './run.js';
import { changesSubject } from './subject.js';

/** The API caches the result of this statement for a short time. */
const KEY_LOOKUP = 'find-principal';

/** The API runs these statements every 30 s rather than per request, so they aren't counted. */
const BATCHED_WRITES = /INSERT INTO request_days|UPDATE api_keys/;

/** Returns averages per request. */
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
