import type { AttemptVerdict } from '../delivery/attempt-classification.js';
import type { ChatError } from '../delivery/attempt-errors.js';
import { CHAT_TITLES, type ChatKind } from './destination-kind.js';

/** What a chat platform answered. */
export interface ChatAnswer {
  readonly status: number;
  /** The header as it came. */
  readonly retryAfter: string | undefined;
  /** The beginning of the body. */
  readonly body: string | null;
}

/** Being asked to wait: how long, and whether by all of the platform or for this one channel. */
export interface AskedWait {
  readonly waitMs: number;
  readonly isGlobal: boolean;
}

const SHORTEST_WAIT_MS = 1_000;
/** What is asked to wait for longer asks again then. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Whether the platform asks to come again later (429). That is no failure of the channel: Slack takes about one message a
 * second (https://docs.slack.dev/apis/web-api/rate-limits), and Discord's limits are whatever it says
 * (https://docs.discord.com/developers/topics/rate-limits). Both give whole or decimal seconds in `Retry-After`, Discord
 * in its body as well; the longer one counts.
 *
 * @returns undefined when it does not, or does not say for how long.
 */
export function askedToWait({ status, retryAfter, body }: ChatAnswer): AskedWait | undefined {
  if (status !== 429) return undefined;
  const said = jsonObject(body);
  const seconds = Math.max(secondsOf(retryAfter), secondsOf(said.retry_after));
  if (seconds < 0) return undefined;
  const waitMs = Math.min(Math.max(Math.ceil(seconds * 1_000), SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
  return { waitMs, isGlobal: said.global === true };
}

/** -1 for what is no number of seconds. */
function secondsOf(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : -1;
  return typeof value === 'string' && /^\s*\d{1,9}(?:\.\d{1,9})?\s*$/.test(value) ? Number(value) : -1;
}

/** What the platform says of a failure, in the customer's words. */
interface Explanation {
  readonly token: ChatError;
  readonly reason: string;
}

const GONE = 'address_revoked';
const NO_CHANNEL = 'channel_unavailable';
const FORBIDDEN = 'posting_forbidden';
const REFUSED = 'message_refused';

/** The first word of Slack's body (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors). */
const SLACK: Readonly<Record<string, Explanation>> = {
  no_service: { token: GONE, reason: 'The incoming webhook was removed in Slack, or its app was.' },
  no_service_id: { token: GONE, reason: 'Slack knows no such incoming webhook.' },
  no_active_hooks: { token: GONE, reason: 'Incoming webhooks were switched off in the Slack app.' },
  no_team: { token: GONE, reason: 'Slack knows no such workspace.' },
  team_disabled: { token: GONE, reason: 'The Slack workspace was disabled.' },
  invalid_token: { token: GONE, reason: 'Slack does not know the last part of the address any longer.' },
  user_not_found: { token: NO_CHANNEL, reason: 'The person that the incoming webhook posts to is not in Slack.' },
  channel_not_found: { token: NO_CHANNEL, reason: 'The Slack channel does not exist any longer.' },
  channel_is_archived: { token: NO_CHANNEL, reason: 'The Slack channel is archived.' },
  action_prohibited: { token: FORBIDDEN, reason: 'An administrator of the Slack workspace does not allow this.' },
  posting_to_general_channel_denied: { token: FORBIDDEN, reason: 'Posting to #general is restricted.' },
  invalid_payload: { token: REFUSED, reason: 'Slack did not accept the message.' },
  invalid_blocks: { token: REFUSED, reason: 'Slack did not accept the message.' },
  no_text: { token: REFUSED, reason: 'Slack did not accept the message.' },
};

/** By Discord's `code` (https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes). */
const DISCORD: Readonly<Record<number, Explanation>> = {
  10003: { token: NO_CHANNEL, reason: 'The Discord channel does not exist any longer.' },
  10015: { token: GONE, reason: 'The webhook was deleted in Discord.' },
  50027: { token: GONE, reason: 'Discord does not know the last part of the address any longer.' },
  50013: { token: FORBIDDEN, reason: 'Discord does not allow this webhook to post to its channel.' },
  50035: { token: REFUSED, reason: 'Discord did not accept the message.' },
  220001: { token: REFUSED, reason: 'The Discord channel is a forum: add ?thread_id=… to the address.' },
};

/** The verdict on a failed attempt, with what the platform says of it in place of the bare status. */
export function explainChatFailure(
  kind: ChatKind,
  verdict: Extract<AttemptVerdict, { kind: 'failed' }>,
  body: string | null,
): Extract<AttemptVerdict, { kind: 'failed' }> {
  const { status } = verdict;
  if (status === undefined) return verdict;
  const explanation = explanationOf(kind, status, body);
  if (!explanation) return verdict;
  return { ...verdict, error: explanation.token, reason: explanation.reason };
}

function explanationOf(kind: ChatKind, status: number, body: string | null): Explanation | undefined {
  const said = kind === 'slack' ? SLACK[/^\s*([a-z_]+)/.exec(body ?? '')?.[1] ?? ''] : discordSaid(body);
  if (said) return said;
  return status === 404 || status === 410
    ? { token: GONE, reason: `${CHAT_TITLES[kind]} knows this address no longer.` }
    : undefined;
}

function discordSaid(body: string | null): Explanation | undefined {
  const { code } = jsonObject(body);
  return typeof code === 'number' ? DISCORD[code] : undefined;
}

function jsonObject(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
