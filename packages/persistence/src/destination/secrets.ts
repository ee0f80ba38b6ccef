import { isChat } from '@artist-watch/domain/channel/destination-kind';
import { Conflict } from '@artist-watch/domain/refusals';
import type { Database } from '../database/database.js';
import type { Destination } from '../generated/prisma/client.js';
import type { Once } from '../idempotency-store.js';
import type { SecretBox } from '../secret-box.js';
import { withDestinationLocked } from './lock.js';
import { readDestination } from './reads.js';
import type { DestinationRecord, DestinationReference } from './record.js';

/** A chat channel's only secret is its URL. */
function requireSigning({ kind }: Destination): void {
  if (isChat(kind)) throw new Conflict('Slack and Discord channels have no signing secret.');
}

export type DestinationSecrets = ReturnType<typeof destinationSecrets>;

/** Rotates signing secrets in two steps, so that the signature header always has exactly one `v1`. */
export function destinationSecrets(database: Database, box: SecretBox) {
  return {
    /**
     * Stores a next secret, so that the customer can add it to the receiver before it becomes active.
     * @param rotation `replace` discards a next secret that a receiver may already use.
     * @throws NotFound, Conflict if a next secret exists and `replace` is not set.
     */
    async rotate(
      reference: DestinationReference,
      rotation: { readonly nextSecret: string; readonly replace?: boolean; readonly now: Date },
      once?: Once<DestinationRecord>,
    ): Promise<DestinationRecord> {
      const { nextSecret, replace = false, now } = rotation;
      await withDestinationLocked(database, { ...reference, now }, once, async (transaction, destination) => {
        requireSigning(destination);
        if (destination.sealedNextSecret !== null && !replace) {
          throw new Conflict(
            'This destination has a next secret that is not active yet. Activate it, or rotate with "replace" to discard it.',
          );
        }
        await transaction.destination.update({
          where: { id: destination.id },
          data: { sealedNextSecret: box.seal(nextSecret, destination.id) },
        });
        return { what: 'secret_rotated', reason: 'A new signing secret was created' };
      });
      return readDestination(database.pool, reference);
    },

    /**
     * Makes the next secret current. From then on, attempts are signed only with this secret.
     * @throws NotFound, Conflict if there is no next secret.
     */
    async activate(
      reference: DestinationReference,
      now: Date,
      once?: Once<DestinationRecord>,
    ): Promise<DestinationRecord> {
      await withDestinationLocked(database, { ...reference, now }, once, async (transaction, destination) => {
        if (destination.sealedNextSecret === null) {
          throw new Conflict('This destination has no next secret. Rotate the secret first.');
        }
        await transaction.destination.update({
          where: { id: destination.id },
          data: { sealedSecret: destination.sealedNextSecret, sealedNextSecret: null },
        });
        return { what: 'secret_activated', reason: 'The new signing secret is active' };
      });
      return readDestination(database.pool, reference);
    },
  };
}
