import { randomBytes } from 'node:crypto';
import { makeSigningSecret, SIGNING_SECRET_RANDOM_BYTES } from '@artist-watch/domain/delivery/signing-secret';
import { Conflict } from '@artist-watch/domain/refusals';
import { readDestination } from '@artist-watch/persistence/destination/reads';
import { destinationSecrets } from '@artist-watch/persistence/destination/secrets';
import { type Page, page, type Reply, redirect, type Visit } from '../../application/page.js';
import { type DestinationsParts, referenceOf } from './destinations-parts.js';
import { secretView } from './secret-view.js';

/**
 * Rotation of the signing secret. The next one stands in the answer to the form and nowhere else: no address leads to it,
 * and a form that is sent again makes none.
 */
export function secretPages(
  { reads, writes, box, receivers }: DestinationsParts,
  { orRefusal }: { readonly orRefusal: (visit: Visit, work: () => Promise<Reply>) => Promise<Reply> },
): Page[] {
  const secrets = destinationSecrets(writes, box);
  const owner = { method: 'POST', role: 'owner', needsFreshCode: true } as const;
  return [
    {
      ...owner,
      path: '/destinations/:destination/rotate',
      answer: (visit) =>
        orRefusal(visit, async () => {
          const { actor: by, form, now, link } = visit;
          const reference = referenceOf(visit);
          const replaces = form.get('replaces') ?? '';
          if (replaces !== '') await requireNewest(reference, replaces);
          const nextSecret = makeSigningSecret(randomBytes(SIGNING_SECRET_RANDOM_BYTES));
          const rotation = { nextSecret, replace: replaces !== '', now };
          const destination = await secrets.rotate({ ...reference, by }, rotation);
          return page(
            'Next signing secret',
            secretView({ link, destination, secret: nextSecret, isNext: true, receivers }),
          );
        }),
    },
    {
      ...owner,
      path: '/destinations/:destination/activate',
      answer: (visit) =>
        orRefusal(visit, async () => {
          const reference = referenceOf(visit);
          await secrets.activate({ ...reference, by: visit.actor }, visit.now);
          return redirect(`/destinations/${reference.id}#secret`, 'The next secret is in force.');
        }),
    },
  ];

  /** A form that is sent again would discard the secret that it has made. @throws Conflict */
  async function requireNewest(reference: ReturnType<typeof referenceOf>, noticeId: string): Promise<void> {
    const { notices } = await readDestination(reads.pool, reference);
    if (notices.find(({ kind }) => kind === 'secret_rotated')?.id === noticeId) return;
    throw new Conflict('Another next secret was made meanwhile.');
  }
}
