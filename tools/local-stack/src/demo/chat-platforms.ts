import type { IncomingHttpHeaders } from 'node:http';

export type ChatPlatform = 'slack' | 'discord';

export interface ChatRequest {
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ChatAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

export const CHAT_SECRET = 'Sx9secretsecretsecret24';

export const CHAT_PATHS: Readonly<Record<ChatPlatform, string>> = {
  slack: `/services/T0AAAAAAA/B0BBBBBBB/${CHAT_SECRET}`,
  discord: `/api/webhooks/223704706495545344/${CHAT_SECRET}`,
};

export function chatPlatformOf(path: string): ChatPlatform | undefined {
  if (path.startsWith('/services/')) return 'slack';
  return path.startsWith('/api/') ? 'discord' : undefined;
}

/** @returns the platform's response, and the unescaped text as `shown` unless the message was rejected. */
export function takeChatMessage(
  platform: ChatPlatform,
  request: ChatRequest,
): { readonly answer: ChatAnswer; readonly shown: string | undefined } {
  let shown: string | undefined;
  const take = platform === 'slack' ? takeAsSlack : takeAsDiscord;
  const answer = take(request, (text) => {
    shown = text;
  });
  return { answer, shown };
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Follows https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and
 * https://docs.slack.dev/reference/block-kit.
 */
function takeAsSlack({ path, headers, body }: ChatRequest, show: (text: string) => void): ChatAnswer {
  if (path !== CHAT_PATHS.slack) return { status: 404, body: 'no_service' };
  const message = parsed(body);
  if (headers['content-type'] !== 'application/json' || !message) return { status: 400, body: 'invalid_payload' };
  const blocks = (message.blocks ?? []) as Json[];
  if (typeof message.text !== 'string' || message.text === '') return { status: 400, body: 'no_text' };
  if (blocks.length > 50 || !blocks.every(isSlackBlock)) return { status: 400, body: 'invalid_blocks' };
  const texts = blocks.flatMap(
    (block) => [block.text, ...((block.elements as unknown[]) ?? [])] as (Json | undefined)[],
  );
  // Slack formats `text` unless `mrkdwn` is false. It never formats plain_text.
  if (message.mrkdwn !== false || message.text.length > 40_000) return { status: 400, body: 'invalid_payload' };
  const lines = [message.text, ...texts.flatMap((text) => (typeof text?.text === 'string' ? [text.text] : []))];
  // An unescaped angle bracket starts a mention, a command or a link.
  if (lines.some((line) => /[<>]|&(?!(?:amp|lt|gt);)/.test(line))) return { status: 400, body: 'invalid_payload' };
  show(lines.map((line) => line.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&amp;/g, '&')).join('\n'));
  return { status: 200, body: 'ok' };
}

function isSlackBlock({ type, text, elements, fields }: Json): boolean {
  switch (type) {
    case 'header':
      return isPlainText(text, 150);
    case 'section':
      return isPlainText(text, 3_000) && fields === undefined;
    case 'context':
      return (
        Array.isArray(elements) && elements.length <= 10 && elements.every((element) => isPlainText(element, 3_000))
      );
    case 'rich_text': {
      const links = ((elements as Json[])?.[0]?.elements ?? []) as Json[];
      return links.length > 0 && links.every((link) => link.type === 'link' && URL.canParse(String(link.url)));
    }
    default:
      return false;
  }
}

function isPlainText(value: unknown, maxChars: number): boolean {
  const { type, text, emoji } = (value ?? {}) as Json;
  return type === 'plain_text' && emoji === false && typeof text === 'string' && text !== '' && text.length <= maxChars;
}

/**
 * Follows https://docs.discord.com/developers/resources/webhook#execute-webhook and
 * …/message#embed-object-embed-limits.
 */
function takeAsDiscord({ path, headers, body }: ChatRequest, show: (text: string) => void): ChatAnswer {
  const [route, query] = path.split('?');
  if (route !== CHAT_PATHS.discord.replace('/api/', '/api/v10/')) return discordError(404, 10015, 'Unknown Webhook');
  const message = parsed(body);
  const rejected = discordError(400, 50035, 'Invalid Form Body');
  if (headers['content-type'] !== 'application/json' || !message || query !== 'wait=true') return rejected;
  const embeds = (message.embeds ?? []) as Json[];
  if (embeds.length < 1 || embeds.length > 10 || message.content !== undefined) return rejected;
  const mentions = message.allowed_mentions as { parse?: unknown[] } | undefined;
  if (!mentions?.parse || mentions.parse.length > 0) return rejected;
  const texts: string[] = [];
  for (const { title, url, description, color, timestamp, fields, footer } of embeds) {
    const list = (fields ?? []) as Json[];
    if (!isText(title, 256) || list.length > 25) return rejected;
    if (url !== undefined && !URL.canParse(String(url))) return rejected;
    if (description !== undefined && !isText(description, 4_096)) return rejected;
    if (!list.every(({ name, value }) => isText(name, 256) && isText(value, 1_024))) return rejected;
    if (!isText((footer as Json | undefined)?.text, 2_048)) return rejected;
    if (!Number.isInteger(color) || Number(color) > 0xffffff || Number.isNaN(Date.parse(String(timestamp))))
      return rejected;
    texts.push(
      title as string,
      ...(description === undefined ? [] : [description as string]),
      ...list.flatMap(({ name, value }) => [name as string, value as string]),
    );
  }
  if (texts.join('').length > 6_000) return rejected;
  // Discord would format unescaped Markdown.
  if (texts.some((text) => /[*_~`|<>[\]()#@:]/.test(text.replace(/\\[!-/:-@[-`{-~]/g, '')))) return rejected;
  show(texts.map((text) => text.replace(/\\([!-/:-@[-`{-~])/g, '$1')).join('\n'));
  return { status: 200, headers: { 'Content-Type': 'application/json' }, body: '{"id":"1"}' };
}

function isText(value: unknown, maxChars: number): boolean {
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxChars;
}

function discordError(status: number, code: number, message: string): ChatAnswer {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ message, code }) };
}

function parsed(body: Buffer): Json | undefined {
  try {
    return JSON.parse(body.toString('utf8')) as Json;
  } catch {
    return undefined;
  }
}
