import type { Plan } from '../account/plans.js';

/** What a destination is: an address of the customer's own, or a channel of a chat platform. */
export type DestinationKind = 'webhook' | ChatKind;

/** By an incoming-webhook address of the platform, which is a secret: whoever has it can post to the channel. */
export type ChatKind = 'slack' | 'discord';

export const DESTINATION_KINDS = ['webhook', 'slack', 'discord'] as const satisfies readonly DestinationKind[];

export const CHAT_TITLES: Readonly<Record<ChatKind, string>> = { slack: 'Slack', discord: 'Discord' };

export function isChat(kind: DestinationKind): kind is ChatKind {
  return kind !== 'webhook';
}

/** How many destinations a plan has of the kinds that share a limit with this one; 0 where it has none. */
export function destinationLimit(kind: DestinationKind, plan: Plan): number {
  return isChat(kind) ? plan.chatDestinations : plan.destinations;
}

/** The kinds that share a limit of the plan with this one. */
export function kindsOfSameLimit(kind: DestinationKind): readonly DestinationKind[] {
  return DESTINATION_KINDS.filter((other) => isChat(other) === isChat(kind));
}
