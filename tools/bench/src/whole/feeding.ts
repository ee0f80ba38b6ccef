import type { DeliveryServers } from '../delivery/delivery-servers.js';

export interface Feed {
  readonly artist: string;
  /** Each feed needs its own prefix for the change ids. */
  readonly name: string;
  readonly changes: number;
  /** Changes per request. */
  readonly aRequest: number;
  /** Used in rotation. */
  readonly types: readonly string[];
  readonly connections: number;
  /** If 0, each request is sent as soon as the previous response arrives. */
  readonly everyMs?: number;
}

export interface Fed {
  readonly startedAtMs: number;
  readonly tookMs: number;
  readonly cpuMs: number;
  /** Milliseconds since 1970. */
  readonly answeredAtMs: readonly number[];
}

export async function feed({ ingest, start }: DeliveryServers, feeding: Feed): Promise<Fed> {
  const feeder = await start({
    name: `feeder-${feeding.name}`,
    main: 'tools/bench/dist/whole/feeder-main.js',
    isBeside: true,
    env: {
      PORT: String(ingest.port),
      TOKEN: ingest.token,
      ARTIST: feeding.artist,
      NAME: feeding.name,
      CHANGES: String(feeding.changes),
      A_REQUEST: String(feeding.aRequest),
      CONNECTIONS: String(feeding.connections),
      TYPES: feeding.types.join(','),
      EVERY_MS: String(feeding.everyMs ?? 0),
    },
  });
  const fed = await feeder.ask<Fed>('feed');
  await feeder.stop();
  return fed;
}
