import type { IpAddress } from '@artist-watch/address-policy/ip-address';
import type { ClientLack } from './client-access.js';
import type { Refusal } from './refusal.js';

/** What was opened towards a destination, as far as the use cases need to know it. */
export interface Connection {
  destroy(): void;
}

/**
 * Opens a connection to exactly this address, without any look-up. Rejects with a DialFailure. When the signal is aborted
 * it rejects and leaves nothing open.
 */
export type Dial<Opened extends Connection> = (
  address: IpAddress,
  port: number,
  signal: AbortSignal,
) => Promise<Opened>;

/** How an open tunnel ended. */
export type TunnelEnd = 'finished' | 'client_lost' | 'destination_lost' | 'idle' | 'drained';

/** One tunnel from its request to its end: one log line, and what the metrics count. */
export interface TunnelRecord {
  /** As the client wrote it; undefined when it could not be read. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** The trace that it belongs to, as the client named it. */
  readonly traceId: string | undefined;
  readonly outcome:
    | { readonly kind: 'opened'; readonly address: string; readonly end: TunnelEnd }
    /** `detail` is for the operator only: it never reaches the client. */
    | { readonly kind: 'refused'; readonly refusal: Refusal; readonly detail: string | undefined }
    | { readonly kind: 'client_gone' };
  /** From the request to the open connection or to the refusal, in milliseconds. */
  readonly openMs: number;
  readonly totalMs: number;
  readonly bytesToDestination: number;
  readonly bytesFromDestination: number;
}

export interface TunnelJournal {
  ended(record: TunnelRecord): void;
  /** Somebody asked who may not send through this proxy. */
  clientRefused(lack: ClientLack, remoteAddress: string | undefined): void;
}
