import type { Database } from '@artist-watch/persistence/database/database';
import { readSealingKeys } from '@artist-watch/persistence/destination/reseal';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import { type Finding, fault, ok, warning } from '../finding.js';

/** Opens what is sealed, where there is anything. */
export async function examineEncryptionKey(
  database: Database,
  key: Uint8Array,
  retiredKeys: readonly Uint8Array[],
): Promise<Finding[]> {
  const { present, retired, unopened } = await readSealingKeys(database, createSecretBox(key, retiredKeys));
  if (unopened.length > 0) {
    return [
      fault(
        'encryption_key',
        `Stored signing secrets cannot be opened, and their webhooks wait. ${unopened.join(' ')}`,
        'Set ENCRYPTION_KEY to the key that sealed them, or add that key to ENCRYPTION_KEYS_RETIRED, on every service.',
      ),
    ];
  }
  if (retired > 0) {
    return [
      warning(
        'encryption_key',
        'Some signing secrets are still sealed with a retired key.',
        'Run pnpm --silent cli destination reseal-secrets, and a day later take the old key out of ENCRYPTION_KEYS_RETIRED.',
      ),
    ];
  }
  return [
    ok('encryption_key', present > 0 ? 'It opens the stored signing secrets.' : 'No signing secret is stored yet.'),
  ];
}
