import type { Usage } from '@artist-watch/contracts/api/usage';
import { artistsUsed, PLANS } from '@artist-watch/domain/account/plans';
import type { UsageStore } from '@artist-watch/persistence/account/usage-store';
import type { Identity } from '../../../application/access/identity.js';

/** What the account's plan allows, and how much of it is used. */
export async function readUsage(report: UsageStore, { accountId, plan }: Identity, now: Date): Promise<Usage> {
  const used = await report.read(accountId, now);
  const limits = PLANS[plan];
  return {
    plan,
    artists: { used: artistsUsed(used, limits), limit: limits.artists },
    seats: { used: used.seats, limit: limits.seats },
    keys: { used: used.keys, limit: limits.keys },
    destinations: { used: used.destinations, limit: limits.destinations },
    chat_destinations: { used: used.chatDestinations, limit: limits.chatDestinations },
    tools: { used: used.toolCalls, limit: limits.toolCallsPerDay },
    api_rate_per_hour: limits.apiRequestsPerHour,
    paused_by_plan: { destinations: used.pausedDestinations },
  };
}
