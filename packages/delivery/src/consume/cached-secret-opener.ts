import { LRUCache } from 'lru-cache';
import type { SecretOpener } from '../decide/ports.js';

/** Unsealing costs more than signing; a destination's secret stays open while it is in use. */
export function createCachedSecretOpener(inner: SecretOpener): SecretOpener {
  const opened = new LRUCache<string, { readonly sealed: Buffer; readonly secret: string }>({
    max: 10_000,
    ttl: 300_000,
  });
  return {
    open(sealed, destinationId) {
      const known = opened.get(destinationId);
      // Another sealed text is another secret: activate-secret takes effect with the next attempt.
      if (known?.sealed.equals(sealed)) return known.secret;
      const secret = inner.open(sealed, destinationId);
      opened.set(destinationId, { sealed: Buffer.from(sealed), secret });
      return secret;
    },
  };
}
