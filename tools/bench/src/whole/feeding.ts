import type { DeliveryServers } from '../delivery/delivery-servers.js';

export interface Feed {
  readonly artist: string;
  /** Their ids begin with it; no two feeds have the same. */
  readonly name: string;
  readonly changes: number;
  /** Changes in each request. */
  readonly aRequest: number;
  /** Of the changes, in turn. */
  readonly types: readonly string[];
  readonly connections: number;
  /** From one request to the next; 0 for as soon as one is answered. */
  readonly everyMs?: number;
}

export interface Fed {
  readonly startedAtMs: number;
  readonly tookMs: number;
  /** Of the feeder itself. */
  readonly cpuMs: number;
  /** When each request was answered, in milliseconds since 1970. */
  readonly answeredAtMs: readonly number[];
}

/** Reports changes from a process of its own. */
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
