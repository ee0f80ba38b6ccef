import type { Bench, BenchOptions } from '../bench.js';
import { getRequest } from '../load/get-request.js';
import { interleave, ratioOfFigure } from '../measuring/rounds.js';
import { leaveMeasuredCore } from '../processes/pinning.js';
import { type ApiServers, startApiServers } from './api-servers.js';
import { type HttpVariant, type RoundShape, saturatedVariant } from './http-variant.js';

interface Extent {
  readonly changes: number;
  readonly rounds: number;
  readonly shape: RoundShape;
}

const FULL: Extent = { changes: 10_000, rounds: 15, shape: { connections: 16, warmUpMs: 200, durationMs: 1_000 } };
const QUICK: Extent = { changes: 3_000, rounds: 1, shape: { connections: 4, warmUpMs: 20, durationMs: 100 } };

export const apiBench: Bench = {
  title: 'The API beside bare express',
  method: `
The bare handler is express, a pool and one prepared statement whose \`json_agg(…)::text\` is sent as it is: no
authentication, no rate limit, no log, no request id, no input. Both servers have the same core to themselves and are
measured in turn, round by round; PostgreSQL, Redis and the load are on the other cores. A ratio is taken of two
neighbouring rounds. CPU is that of the server's process alone.`,
  async run(options) {
    leaveMeasuredCore();
    const extent = options.quick ? QUICK : FULL;
    const servers = await startApiServers(extent.changes, options.profileDirectory);
    try {
      const beside = (subject: HttpVariant, bare: HttpVariant) => compare(subject, bare, servers, extent, options);
      const { api, bare } = servers;
      const bearer = (key: string) => getRequest('/v1/changes', { Authorization: `Bearer ${key}` });
      const changes = await beside(
        {
          name: 'GET /v1/changes',
          server: api,
          requests: servers.dataset.ofOneArtist.map(({ key }) => bearer(key)),
          status: 200,
        },
        { name: 'bare express', server: bare, requests: [getRequest('/changes')], status: 200 },
      );
      const malformed = await beside(
        {
          name: '401 malformed key',
          server: api,
          requests: [bearer('aw_live_abcdefghijklmnopqrstuvwxyz0123456789')],
          status: 401,
        },
        { name: 'bare express 401', server: bare, requests: [getRequest('/unauthorized')], status: 401 },
      );
      return [
        {
          name: 'GET /v1/changes, 200 items: requests per second to bare express',
          value: changes.requestsPerSecond,
          limit: { atLeast: 0.7 },
        },
        { name: 'GET /v1/changes, 200 items: bare express to it, CPU per request', value: changes.cpu },
        {
          name: '401 for a malformed key: requests per second to bare express',
          value: malformed.requestsPerSecond,
          limit: { atLeast: 0.8 },
        },
        { name: '401 for a malformed key: bare express to it, CPU per request', value: malformed.cpu },
      ];
    } finally {
      await servers.stop();
    }
  },
};

async function compare(
  subject: HttpVariant,
  bare: HttpVariant,
  servers: ApiServers,
  extent: Extent,
  { say }: BenchOptions,
) {
  const variants = [subject, bare].map((variant) => saturatedVariant(variant, servers, extent.shape));
  const rounds = await interleave(variants, extent.rounds, ({ variant, round, figures }) => {
    const numbers = Object.entries(figures).map(([name, value]) => `${name} ${value.toFixed(2)}`);
    say(`${variant}, round ${round}: ${numbers.join(', ')}`);
  });
  return {
    requestsPerSecond: ratioOfFigure(rounds, 'requestsPerSecond', subject.name, bare.name),
    cpu: ratioOfFigure(rounds, 'cpuUsPerRequest', bare.name, subject.name),
  };
}
