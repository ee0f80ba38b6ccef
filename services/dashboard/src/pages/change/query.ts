import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import { historyStart, type PlanName } from '@artist-watch/domain/account/plans';
import { PLATFORM_NAMES } from '@artist-watch/domain/catalogue';
import { severityRank } from '@artist-watch/domain/change/change-types';
import type { ChangeValue } from '@artist-watch/domain/change/change-value';
import { whySkipped } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import { PICTURE_PROBLEMS } from '@artist-watch/domain/platform/picture-file';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import { NotFound } from '@artist-watch/domain/refusals';
import {
  type ChangeNotification,
  readChangeNotifications,
  readMemberNotifications,
} from '@artist-watch/persistence/change/change-notifications';
import { readAvailability } from '@artist-watch/persistence/change/change-reads';
import { changeShareStore } from '@artist-watch/persistence/change/change-shares';
import { readChangeOfAccount } from '@artist-watch/persistence/change/confirmed-changes';
import { type PictureRecord, pictureStore } from '@artist-watch/persistence/change/pictures';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Reply, Visit } from '../../application/page.js';
import type { ShownPicture } from '../../views/change.js';

/** Reads the data that both members and readers of a share link see. @throws NotFound */
export async function readShownChange(
  database: Database,
  { accountId, plan, id }: { readonly accountId: AccountId; readonly plan: PlanName; readonly id: ChangeId },
  now: Date,
) {
  const oldest = historyStart(plan, now);
  const change = await readChangeOfAccount(database.pool, { accountId, id, oldest });
  const platformUrl = knownPlatformUrl(change.platform, change.entityType, change.entityId);
  return { change, platformName: PLATFORM_NAMES[change.platform], platformUrl };
}

export async function readChange(database: Database, { account, now, link, begin }: Visit, id: ChangeId) {
  const found = async () => {
    const shown = await readShownChange(database, { accountId: account.id, plan: account.plan, id }, now);
    await begin(shown.change.summary);
    return shown;
  };
  // If the change doesn't belong to the account, `found` rejects, and nothing is shown.
  const [shown, sent, shares, members] = await Promise.all([
    found(),
    readChangeNotifications(database.pool, { accountId: account.id, changeId: id }),
    changeShareStore(database).list(account.id, id, now),
    readMemberNotifications(database.pool, { accountId: account.id, changeId: id }),
  ]);
  const { artistId, entityId, type } = shown.change;
  const oldest = historyStart(account.plan, now);
  // To save a statement, `readAvailability` also finds out whether we have the cover.
  const hasAvailability = /^release_(removed|restored)$/.test(type);
  const availability = hasAvailability
    ? await readAvailability(database.pool, { accountId: account.id, artistId, entityId, oldest })
    : [];
  const side = type === 'release_removed' ? 'before' : 'after';
  const href = link(`/changes/${id}/pictures/${side}`);
  const hasCover = availability.some((change) => change.id === id && change.hasCover);
  const cover: Partial<Record<Side, ShownPicture>> = hasCover ? { [side]: { href } } : {};
  const pictures = hasAvailability
    ? cover
    : await readShownPictures(database, shown.change, (path) => link(`/changes/${id}${path}`));
  const notifications = sent.map(({ delivery, ...destination }) => ({
    ...destination,
    delivery,
    why: delivery === null ? whyNotSent(destination, shown.change) : whySkipped(delivery.skippedReason),
  }));
  return { ...shown, notifications, shares, pictures, members, availability };
}

/** Explains why a change wasn't sent, based on the destination's current rules. Undefined if they allow the change. */
function whyNotSent(
  { createdAt, isPausedByPlan, allowsArtist, rules }: Omit<ChangeNotification, 'delivery'>,
  change: EvidencedChange,
): string | undefined {
  const { minSeverity, changeTypes } = rules;
  if (createdAt > change.confirmedAt) return 'The channel was created after this change was confirmed.';
  if (minSeverity !== null && severityRank(change.severity) > severityRank(minSeverity)) {
    const least = minSeverity === 'critical' ? 'critical changes' : `changes of severity ${minSeverity} or higher`;
    return `The channel's rules allow only ${least}.`;
  }
  if (changeTypes.length > 0 && !changeTypes.includes(change.type))
    return "The channel's rules exclude this type of change.";
  if (!allowsArtist) return "The channel's rules exclude this artist.";
  if (isPausedByPlan) return "Your plan doesn't include channels of this kind.";
  return undefined;
}

type Side = 'before' | 'after';

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

/** @throws NotFound if that side of the change has no picture, or if we don't have the picture */
export async function readPicture(database: Database, change: EvidencedChange, side = ''): Promise<Reply> {
  const contentId = pictureId(side === 'before' ? change.before : side === 'after' ? change.after : null);
  const of = subjectOf(change);
  if (contentId === undefined || of === undefined) throw new NotFound('picture');
  const file = await pictureStore(database).read({ platform: change.platform, of, contentId });
  if (!file) throw new NotFound('picture');
  // A change's pictures are never replaced.
  return { kind: 'file', type: file.type, body: file.bytes, cacheControl: 'private, max-age=31536000, immutable' };
}

function whyMissing(record: PictureRecord | undefined): string {
  if (!record) return 'We have no picture.';
  const { problem, isAwaited } = record;
  if (problem === null) return "We haven't fetched this picture yet.";
  return isAwaited ? `${PICTURE_PROBLEMS[problem]} We'll try again.` : PICTURE_PROBLEMS[problem];
}

function pictureId(value: ChangeValue | null): string | undefined {
  return value?.kind === 'release' ? value.value.artworkId : value?.kind === 'picture' ? value.value : undefined;
}

function subjectOf({ entityType }: EvidencedChange): 'artist' | 'release' | undefined {
  return entityType === 'track' ? undefined : entityType;
}
