import type { AttemptVerdict } from '../delivery/attempt-classification.js';
import type { ChatError } from '../delivery/attempt-errors.js';
import { CHAT_TITLES, type ChatKind, isPlatformHost } from './destination-kind.js';

export interface ChatResponse {
  readonly host: string;
  readonly status: number;
  /** The unchanged header. */
  readonly retryAfter: string | undefined;
  readonly body: string | null;
}

export interface RequestedWait {
  readonly waitMs: number;
  readonly isGlobal: boolean;
}

const SHORTEST_WAIT_MS = 1_000;
/** Longer waits are cut to an hour. After that, the platform can request another wait. */
const LONGEST_WAIT_MS = 3_600_000;

/**
 * Returns the longest wait requested by a 429 response (https://docs.slack.dev/apis/web-api/rate-limits,
 * https://docs.discord.com/developers/topics/rate-limits).
 * @returns undefined for any other status, and for a 429 without a duration
 */
export function requestedWait(
  kind: ChatKind,
  { host, status, retryAfter, body }: ChatResponse,
): RequestedWait | undefined {
  if (status !== 429) return undefined;
  const said = jsonObject(body);
  const seconds = Math.max(secondsOf(retryAfter), secondsOf(said.retry_after));
  if (seconds < 0) return undefined;
  const waitMs = Math.min(Math.max(Math.ceil(seconds * 1_000), SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
  // Only the platform itself may pause messages for every account.
  return { waitMs, isGlobal: said.global === true && kind === 'discord' && isPlatformHost(kind, host) };
}

/** Returns -1 if the value is not a number of seconds. */
function secondsOf(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : -1;
  return typeof value === 'string' && /^\s*\d{1,9}(?:\.\d{1,9})?\s*$/.test(value) ? Number(value) : -1;
}

interface Explanation {
  readonly token: ChatError;
  readonly reason: string;
}

const GONE = 'address_revoked';
const NO_CHANNEL = 'channel_unavailable';
const FORBIDDEN = 'posting_forbidden';
const REFUSED = 'message_refused';

/**
 * Slack's response starts with one of these words
 * (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks#handling_errors).
 */
const SLACK: Readonly<Record<string, Explanation>> = {
  no_service: { token: GONE, reason: 'The incoming webhook or its app was removed in Slack.' },
  no_service_id: { token: GONE, reason: 'Slack has no incoming webhook with this URL.' },
  no_active_hooks: { token: GONE, reason: 'Incoming webhooks were switched off in the Slack app.' },
  no_team: { token: GONE, reason: 'The Slack workspace does not exist.' },
  team_disabled: { token: GONE, reason: 'The Slack workspace was disabled.' },
  invalid_token: { token: GONE, reason: 'Slack no longer accepts the token at the end of the URL.' },
  user_not_found: { token: NO_CHANNEL, reason: 'The Slack user that the incoming webhook posts to does not exist.' },
  channel_not_found: { token: NO_CHANNEL, reason: 'The Slack channel no longer exists.' },
  channel_is_archived: { token: NO_CHANNEL, reason: 'The Slack channel is archived.' },
  action_prohibited: { token: FORBIDDEN, reason: 'A Slack administrator has restricted posting with this webhook.' },
  posting_to_general_channel_denied: { token: FORBIDDEN, reason: 'Posting to #general is restricted in Slack.' },
  invalid_payload: { token: REFUSED, reason: 'Slack rejected the message.' },
  invalid_blocks: { token: REFUSED, reason: 'Slack rejected the message.' },
  no_text: { token: REFUSED, reason: 'Slack rejected the message.' },
};

/** See https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes. */
const DISCORD: Readonly<Record<number, Explanation>> = {
  10003: { token: NO_CHANNEL, reason: 'The Discord channel no longer exists.' },
  10015: { token: GONE, reason: 'The webhook was deleted in Discord.' },
  50027: { token: GONE, reason: 'Discord no longer accepts the token at the end of the URL.' },
  50013: { token: FORBIDDEN, reason: "The webhook doesn't have permission to post to its Discord channel." },
  50035: { token: REFUSED, reason: 'Discord rejected the message.' },
  220001: { token: REFUSED, reason: 'The Discord channel is a forum. Add ?thread_id=… to the URL.' },
};

/** Uses the platform's explanation of the failure, if there is one. */
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
    ? { token: GONE, reason: `${CHAT_TITLES[kind]} no longer recognizes this URL.` }
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
