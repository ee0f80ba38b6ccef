import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import type { ChangeValue } from '@artist-watch/domain/change/change-value';
import { PICTURE_PROBLEMS } from '@artist-watch/domain/platform/picture-file';
import { NotFound } from '@artist-watch/domain/refusals';
import { type PictureRecord, pictureStore } from '@artist-watch/persistence/change/pictures';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Reply } from '../../application/page.js';
import type { ShownPicture } from '../../views/change.js';

type Side = 'before' | 'after';

/**
 * How the pictures of a change are shown; nothing for a change of anything else. One statement where there are some.
 *
 * @param hrefOf the address below the page of the change: `/pictures/before`.
 */
export async function readShownPictures(
  database: Database,
  change: EvidencedChange,
  hrefOf: (path: string) => string,
): Promise<Partial<Record<Side, ShownPicture>>> {
  const named = { before: pictureId(change.before), after: pictureId(change.after) };
  const of = subjectOf(change);
  const ids = Object.values(named).flatMap((id) => id ?? []);
  if (ids.length === 0 || of === undefined) return {};
  const known = await pictureStore(database).list({ platform: change.platform, of }, ids);
  const shown = (side: Side): Partial<Record<Side, ShownPicture>> => {
    const record = known.find(({ contentId }) => contentId === named[side]);
    if (named[side] === undefined) return {};
    return { [side]: record?.isKept ? { href: hrefOf(`/pictures/${side}`) } : { missing: whyMissing(record) } };
  };
  return { ...shown('before'), ...shown('after') };
}

/** A picture itself. @throws NotFound for a side that has none, and for one that is not kept. */
export async function pictureReply(
  database: Database,
  change: EvidencedChange,
  side: string | undefined,
): Promise<Reply> {
  const contentId = pictureId(side === 'before' ? change.before : side === 'after' ? change.after : null);
  const of = subjectOf(change);
  if (contentId === undefined || of === undefined) throw new NotFound('picture');
  const file = await pictureStore(database).read({ platform: change.platform, of, contentId });
  if (!file) throw new NotFound('picture');
  // A change names the same contents for ever.
  return { kind: 'file', type: file.type, body: file.bytes, cacheControl: 'private, max-age=31536000, immutable' };
}

function whyMissing(record: PictureRecord | undefined): string {
  if (!record) return 'No picture was kept.';
  const { problem, isAwaited } = record;
  if (problem === null) return 'It has not been fetched yet.';
  return isAwaited ? `${PICTURE_PROBLEMS[problem]} It will be asked for again.` : PICTURE_PROBLEMS[problem];
}

function pictureId(value: ChangeValue | null): string | undefined {
  return value?.kind === 'picture' ? value.value : undefined;
}

function subjectOf({ entityType }: EvidencedChange): 'artist' | 'release' | undefined {
  return entityType === 'track' ? undefined : entityType;
}
