import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import { oldestOf, type PlanName } from '@artist-watch/domain/account/plans';
import { severityRank } from '@artist-watch/domain/change/change-types';
import { whySkipped } from '@artist-watch/domain/delivery/delivery-state';
import type { AccountId, ChangeId } from '@artist-watch/domain/ids';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import {
  type ChangeNotification,
  readChangeNotifications,
} from '@artist-watch/persistence/change/change-notifications';
import { changeShareStore } from '@artist-watch/persistence/change/change-shares';
import { readChangeOfAccount } from '@artist-watch/persistence/change/confirmed-changes';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Visit } from '../../application/page.js';
import { readShownPictures } from './pictures.js';

const PLATFORM_NAMES = { deezer: 'Deezer', spotify: 'Spotify' } as const;

/** What everybody may read of a change who may read it at all. One statement. @throws NotFound */
export async function readShownChange(
  database: Database,
  { accountId, plan, id }: { readonly accountId: AccountId; readonly plan: PlanName; readonly id: ChangeId },
  now: Date,
) {
  const oldest = oldestOf(plan, now);
  const change = await readChangeOfAccount(database.pool, { accountId, id, oldest });
  const platformUrl = knownPlatformUrl(change.platform, change.entityType, change.entityId);
  return { change, platformName: PLATFORM_NAMES[change.platform], platformUrl };
}

/** What members read: where it was sent too, and the links by which it is shared. @throws NotFound */
export async function readChange(database: Database, { account, now, link, begin }: Visit, id: ChangeId) {
  const found = async () => {
    const shown = await readShownChange(database, { accountId: account.id, plan: account.plan, id }, now);
    await begin(shown.change.summary);
    return shown;
  };
  // None of them needs another one; of a change that the account has not, nothing is shown.
  const [shown, sent, shares] = await Promise.all([
    found(),
    readChangeNotifications(database.pool, { accountId: account.id, changeId: id }),
    changeShareStore(database).list(account.id, id, now),
  ]);
  const pictures = await readShownPictures(database, shown.change, (path) => link(`/changes/${id}${path}`));
  const notifications = sent.map(({ delivery, ...destination }) => ({
    ...destination,
    delivery,
    why: delivery === null ? whyNotSent(destination, shown.change) : whySkipped(delivery.skippedReason),
  }));
  return { ...shown, notifications, shares, pictures };
}

/** Why a change was not sent to a destination, as far as its present rules say. */
function whyNotSent(
  { createdAt, isPausedByPlan, rules }: Omit<ChangeNotification, 'delivery'>,
  change: EvidencedChange,
): string {
  const { minSeverity, changeTypes, artistIds } = rules;
  if (createdAt > change.confirmedAt) return 'The destination was created after this change was confirmed.';
  if (minSeverity !== null && severityRank(change.severity) > severityRank(minSeverity)) {
    const least = minSeverity === 'critical' ? 'critical' : `${minSeverity} or higher`;
    return `Its rule asks for ${least}; this change is ${change.severity}.`;
  }
  if (changeTypes.length > 0 && !changeTypes.includes(change.type)) return 'Its rule asks for other types of change.';
  if (artistIds.length > 0 && !artistIds.includes(change.artistId)) return 'Its rule asks for other artists.';
  if (isPausedByPlan) return 'The plan of the account has no destinations.';
  return 'No delivery is on record: its rules have changed since, or the delivery is older than the record.';
}
