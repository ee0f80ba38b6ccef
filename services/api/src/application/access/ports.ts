import type { Identity } from './identity.js';

/** Where keys are looked up. Rejects when it cannot tell. */
export interface KeyDirectory {
  findHolder(secretSha256: Uint8Array): Promise<Identity | undefined>;
}
