import type { Plan } from '../account/plans.js';

export const DESTINATION_KINDS = ['webhook', 'slack', 'discord'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** Anyone who knows an incoming-webhook URL can post to the channel, so the URL is a secret. */
export type ChatKind = Exclude<DestinationKind, 'webhook'>;

export const CHAT_TITLES: Readonly<Record<ChatKind, string>> = { slack: 'Slack', discord: 'Discord' };

export function isChat(kind: DestinationKind): kind is ChatKind {
  return kind !== 'webhook';
}

/** Slack and Discord share one limit. */
export function destinationLimit(kind: DestinationKind, plan: Plan): number {
  return isChat(kind) ? plan.chatDestinations : plan.destinations;
}

export function kindsOfSameLimit(kind: DestinationKind): readonly DestinationKind[] {
  return DESTINATION_KINDS.filter((other) => isChat(other) === isChat(kind));
}

export interface ChatAddress {
  /** Contains the secret. */
  readonly requestUrl: string;
  /** Hides the secret, but still distinguishes an account's destinations from each other. */
  readonly shownUrl: string;
  readonly host: string;
  readonly isPlatform: boolean;
}

interface AddressForm {
  readonly hosts: readonly string[];
  /** A pattern with two groups: the visible part of the path and the secret. */
  readonly path: string;
  readonly parameters: readonly string[];
  readonly example: string;
  readonly base: string;
  readonly requestBase: string;
  readonly query: Readonly<Record<string, string>>;
}

const FORMS: Readonly<Record<ChatKind, AddressForm>> = {
  // Workflow URLs (/triggers/, /workflows/) are rejected, because workflows expect a different body
  // (https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks). slack-gov.com is GovSlack.
  slack: {
    hosts: ['hooks.slack.com', 'hooks.slack-gov.com'],
    path: '(/services/[A-Z0-9]{1,24}/[A-Z0-9]{1,24}/)([A-Za-z0-9]{1,64})',
    parameters: [],
    example: 'https://hooks.slack.com/services/T…/B…/…',
    base: '',
    requestBase: '',
    query: {},
  },
  // If the URL has no API version, `Retry-After` is in milliseconds (https://docs.discord.com/developers/change-log,
  // 2020-09-24). If `wait` is not set, Discord does not say whether it stored the message
  // (https://docs.discord.com/developers/resources/webhook#execute-webhook).
  discord: {
    hosts: ['discord.com', 'ptb.discord.com', 'canary.discord.com', 'discordapp.com'],
    path: '/api(?:/v[0-9]{1,2})?(/webhooks/[0-9]{1,20}/)([A-Za-z0-9_-]{1,128})',
    parameters: ['thread_id'],
    example: 'https://discord.com/api/webhooks/…/…',
    base: '/api',
    requestBase: '/api/v10',
    query: { wait: 'true' },
  },
};

export function isPlatformHost(kind: ChatKind, host: string): boolean {
  return FORMS[kind].hosts.includes(host);
}

const VALUE = '[0-9]{1,20}';
const IS_VALUE = new RegExp(`^${VALUE}$`);

const PATHS: Readonly<Record<ChatKind, RegExp>> = {
  slack: new RegExp(`^${FORMS.slack.path}/?$`),
  discord: new RegExp(`^${FORMS.discord.path}/?$`),
};

/** JSON Schema does not support flags, so the pattern has none. */
export function chatAddressPattern(kind: ChatKind): string {
  const { hosts, path, parameters } = FORMS[kind];
  const anyHost = hosts.join('|').replaceAll('.', '\\.');
  const query = parameters.map((name) => `(?:\\?${name}=${VALUE})?`).join('');
  return `^https://(?:${anyHost})${path}/?${query}$`;
}

/**
 * Accepts any host, because operators test with their own receivers.
 * @returns undefined if the text is not in the platform's format
 */
export function readChatAddress(kind: ChatKind, text: string): ChatAddress | undefined {
  const form = FORMS[kind];
  if (/[\s\\]/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const [, shown, secret] = PATHS[kind].exec(url.pathname) ?? [];
  if (shown === undefined || secret === undefined || url.username !== '' || url.password !== '') return undefined;
  const query = new URLSearchParams(form.query);
  for (const [name, value] of url.searchParams) {
    if (!form.parameters.includes(name) || !IS_VALUE.test(value)) return undefined;
    query.set(name, value);
  }
  const search = query.size === 0 ? '' : `?${query}`;
  return {
    requestUrl: `${url.origin}${form.requestBase}${shown}${secret}${search}`,
    shownUrl: `${url.origin}${form.base}${shown}…`,
    host: url.hostname,
    isPlatform: url.protocol === 'https:' && url.port === '' && form.hosts.includes(url.hostname),
  };
}

/** Returns undefined for any other URL, including Slack workflows. */
export function chatKindOf(text: string): ChatKind | undefined {
  if (!URL.canParse(text)) return undefined;
  const { hostname, pathname } = new URL(text);
  return DESTINATION_KINDS.filter(isChat).find((kind) => isPlatformHost(kind, hostname) && PATHS[kind].test(pathname));
}

export function chatAddressProblem(kind: ChatKind): string {
  const { example, hosts } = FORMS[kind];
  return `The URL must be a ${CHAT_TITLES[kind]} incoming webhook, such as ${example}. Allowed hosts: ${hosts.join(', ')}.`;
}
