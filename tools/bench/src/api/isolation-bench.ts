import type { Bench } from '../bench.js';
import { getRequest, HttpConnection } from '../load/http-connection.js';
import { arriveSteadily } from '../load/load.js';
import { interleave, lineOf, type Variant } from '../measuring/rounds.js';
import { median, quantile } from '../measuring/statistics.js';
import { onServers } from '../processes/bench-servers.js';
import { leaveMeasuredCore, raisePriority } from '../processes/pinning.js';
import type { Figure } from '../reporting/figure.js';
import type { Reader } from './dataset.js';
import { createInstallation } from './installation.js';

const FULL = { changes: 10_000, rounds: 5, roundMs: 5_000, perSecond: 40 };
const QUICK = { changes: 2_500, rounds: 1, roundMs: 300, perSecond: 40 };

const AT_ONCE = [40, 150];

const WATCHED_ARTISTS = 400;

const OWN_CONNECTIONS = 64;

export const isolationBench: Bench = {
  title: 'The effect of one account on another',
  method: `
One account (the attacker) keeps 40, then 150 requests in progress: either \`GET /v1/changes\` or \`POST /v1/artists\`, which locks
its account. Another account sends \`GET /v1/changes\` 40 times a second, evenly spaced, and every response must be 200. Its p50
and p95 during the writes are divided by those during the same number of reads, per round. So the ratio shows the effect of
connections and locks, not of the load. PostgreSQL waits for the disk, and the API has 10 connections; both are defaults.`,

  run({ quick, profileDirectory, say }) {
    leaveMeasuredCore();
    raisePriority();
    const { changes, rounds, roundMs, perSecond } = quick ? QUICK : FULL;
    return onServers({ postgresSettings: {}, postgresOnAllCores: true, profileDirectory }, async (servers) => {
      const { dataset, startApi } = await createInstallation(servers, 'isolation', changes);
      const port = Number((await startApi()).addresses.api);
      const [attacker, other] = dataset.ofOneArtist as [Reader, Reader];
      const asking = { port, status: 200, requests: [getRequest('/v1/changes', withKey(other))] };
      const variant = (name: string, attack: readonly Uint8Array[], atOnce: number): Variant => ({
        name: `${name}, ${atOnce} at once`,
        async measure() {
          await servers.redis.flushdb();
          const attacking = await startAttack(port, attack, atOnce);
          const { latenciesMs } = await arriveSteadily(asking, {
            perSecond,
            connections: OWN_CONNECTIONS,
            durationMs: roundMs,
          }).finally(attacking.stop);
          return { p50Ms: median(latenciesMs), p95Ms: quantile(latenciesMs, 0.95), ...attacking.answers() };
        },
      });
      const reads = [getRequest('/v1/changes', withKey(attacker))];
      const writes = Array.from({ length: WATCHED_ARTISTS }, (_, n) => watchRequest(attacker, String(90_000_000 + n)));
      const variants = AT_ONCE.flatMap((atOnce) => [
        variant('reads', reads, atOnce),
        variant('writes', writes, atOnce),
      ]);
      // Lets V8 compile the code, opens connections, and watches the artists.
      for (const { measure } of variants) await measure();
      const measured = await interleave(variants, rounds, (round) => say(lineOf(round, 1)));
      return AT_ONCE.flatMap((atOnce) =>
        ['p50Ms', 'p95Ms'].flatMap((figure): Figure[] => {
          const [writing, reading] = [`writes, ${atOnce} at once`, `reads, ${atOnce} at once`];
          const name = `${figure.slice(0, 3)}, ${atOnce} at once`;
          const ratio = measured.ratio(figure, writing, reading);
          return [
            { name, column: 'during reads', value: measured.spread(figure, reading), unit: 'ms' },
            { name, column: 'during writes', value: measured.spread(figure, writing), unit: 'ms' },
            { name, column: 'during writes relative to reads (limit 1.5)', value: ratio, atMost: 1.5 },
          ];
        }),
      );
    });
  },
};

async function startAttack(port: number, requests: readonly Uint8Array[], atOnce: number) {
  const connections = await Promise.all(Array.from({ length: atOnce }, () => HttpConnection.open(port)));
  const counts = { answered2xx: 0, answered503: 0, answeredElse: 0 };
  let stopped = false;
  let sent = 0;
  const running = connections.map(async (connection) => {
    while (!stopped) {
      const status = await connection.request(requests[sent++ % requests.length] as Uint8Array);
      if (status < 300) counts.answered2xx += 1;
      else if (status === 503) counts.answered503 += 1;
      else counts.answeredElse += 1;
    }
  });
  return {
    answers: () => counts,
    stop: async () => {
      stopped = true;
      await Promise.all(running);
      for (const connection of connections) connection.close();
    },
  };
}

function withKey({ key }: Reader): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

function watchRequest(reader: Reader, platformId: string): Uint8Array {
  const body = JSON.stringify({ platform_id: platformId });
  const headers = { ...withKey(reader), 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
  const head = Buffer.from(getRequest('/v1/artists', headers)).toString('latin1').replace(/^GET/, 'POST');
  return Buffer.from(head + body, 'latin1');
}
