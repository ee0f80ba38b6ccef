import type { Plan } from '../account/plans.js';

/** What a destination is: an address of the customer's own, or a channel of a chat platform. */
export const DESTINATION_KINDS = ['webhook', 'slack', 'discord'] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

/** By an incoming-webhook address of the platform, which is a secret: whoever has it can post to the channel. */
export type ChatKind = Exclude<DestinationKind, 'webhook'>;

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

/** An incoming-webhook address of a chat platform, taken apart. */
export interface ChatAddress {
  /** Where messages are posted. Holds the secret. */
  readonly requestUrl: string;
  /** The same without the secret: distinguishes the destinations of an account. */
  readonly shownUrl: string;
  readonly host: string;
  readonly isPlatform: boolean;
}

interface AddressForm {
  readonly hosts: readonly string[];
  /** The source of an expression for a path, without anchors: what may be shown, and the secret. */
  readonly path: string;
  /** The parameters that a customer may set. */
  readonly parameters: readonly string[];
  readonly example: string;
  /** In front of that path: as people know it, and as it is asked for. */
  readonly base: string;
  readonly requestBase: string;
  readonly query: Readonly<Record<string, string>>;
}

const FORMS: Readonly<Record<ChatKind, AddressForm>> = {
  // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks; slack-gov.com is GovSlack. Addresses of
  // workflows (/triggers/, /workflows/) take other bodies.
  slack: {
    hosts: ['hooks.slack.com', 'hooks.slack-gov.com'],
    path: '(/services/[A-Z0-9]{1,24}/[A-Z0-9]{1,24}/)([A-Za-z0-9]{1,64})',
    parameters: [],
    example: 'https://hooks.slack.com/services/T…/B…/…',
    base: '',
    requestBase: '',
    query: {},
  },
  // https://docs.discord.com/developers/resources/webhook#execute-webhook. Without a version in the path Discord takes
  // 6, whose `Retry-After` is in milliseconds (https://docs.discord.com/developers/change-log, 2020-09-24). Without
  // `wait` a message that Discord does not keep is answered as one that it does.
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

/** Of a parameter that a customer may set. */
const VALUE = '[0-9]{1,20}';
const IS_VALUE = new RegExp(`^${VALUE}$`);

const PATHS: Readonly<Record<ChatKind, RegExp>> = {
  slack: new RegExp(`^${FORMS.slack.path}/?$`),
  discord: new RegExp(`^${FORMS.discord.path}/?$`),
};

/** The pattern of a platform's own addresses, for the description of the API: without flags, as JSON Schema has none. */
export function chatAddressPattern(kind: ChatKind): string {
  const { hosts, path, parameters } = FORMS[kind];
  const anyHost = hosts.join('|').replaceAll('.', '\\.');
  const query = parameters.map((name) => `(?:\\?${name}=${VALUE})?`).join('');
  return `^https://(?:${anyHost})${path}/?${query}$`;
}

/**
 * Reads an incoming-webhook address. One of another host is read too, and is for the caller to allow: operators try
 * things on receivers of their own.
 *
 * @returns undefined for what has not the platform's form.
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

/** What is wrong with an address that was not taken, for the customer. */
export function chatAddressProblem(kind: ChatKind): string {
  const { example, hosts } = FORMS[kind];
  return `The address must be an incoming-webhook address of ${CHAT_TITLES[kind]}, such as ${example} (${hosts.join(', ')}).`;
}
