import { latencyFigures, saturate } from '../load/load.js';
import type { Variant } from '../measuring/rounds.js';
import { familyCpuMs } from '../processes/family-cpu.js';
import type { MeasuredProcess } from '../processes/measured-process.js';
import type { ApiServers } from './api-servers.js';

export interface HttpVariant {
  readonly name: string;
  readonly server: MeasuredProcess;
  readonly requests: readonly Uint8Array[];
  readonly status: number;
}

export interface RoundShape {
  readonly connections: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/** Asks one server for as much as it answers, and tells what each answer cost, and whom. */
export function saturatedVariant(variant: HttpVariant, servers: ApiServers, shape: RoundShape): Variant {
  const target = { port: Number(variant.server.addresses.api), requests: variant.requests, status: variant.status };
  const cpu = async () => ({
    server: (await variant.server.usage()).cpuMs,
    postgres: familyCpuMs(servers.data.postgresPid),
    redis: familyCpuMs(servers.data.redisPid),
  });
  return {
    name: variant.name,
    async measure() {
      // No reader may come to the end of its hour in the middle of a round.
      await servers.redis.flushdb();
      await saturate(target, shape.connections, shape.warmUpMs);
      const before = await cpu();
      const result = await saturate(target, shape.connections, shape.durationMs);
      const after = await cpu();
      const usPerRequest = (name: keyof typeof before) => ((after[name] - before[name]) / result.answered) * 1000;
      return {
        requestsPerSecond: (result.answered / result.durationMs) * 1000,
        cpuUsPerRequest: usPerRequest('server'),
        postgresCpuUs: usPerRequest('postgres'),
        redisCpuUs: usPerRequest('redis'),
        /** How much of its core the server had: under 1 it waited, or somebody else had the core. */
        coreShare: (after.server - before.server) / result.durationMs,
        ...latencyFigures(result),
      };
    },
  };
}
