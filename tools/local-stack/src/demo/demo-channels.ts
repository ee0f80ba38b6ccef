import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serve } from '../processes/serve.js';
import { CHAT_PATHS, type ChatPlatform, chatPlatformOf, takeChatMessage } from './chat-platforms.js';

export interface ChannelMessage {
  readonly platform: ChatPlatform;
  readonly text: string;
  readonly changeId: string | undefined;
}

/** The simulated chat platforms only accept messages in the documented format. */
export interface DemoChannels {
  webhookUrl(platform: ChatPlatform): string;
  onMessage(listener: (message: ChannelMessage) => void): void;
  close(): Promise<void>;
}

export async function startDemoChannels(): Promise<DemoChannels> {
  const listeners: Array<(message: ChannelMessage) => void> = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const body = await buffer(request).catch(() => Buffer.alloc(0));
    const platform = chatPlatformOf(path);
    if (!platform) return void response.writeHead(404).end();
    const { answer, shown } = takeChatMessage(platform, { path, headers: request.headers, body });
    response.writeHead(answer.status, answer.headers).end(answer.body);
    if (shown === undefined) return;
    const changeId = /chg_[0-9a-f]{32}/.exec(body.toString('utf8'))?.[0];
    for (const listener of listeners) listener({ platform, text: shown, changeId });
  });
  const { port, close } = await serve(server);
  return {
    webhookUrl: (platform) => `http://127.0.0.1:${port}${CHAT_PATHS[platform]}`,
    onMessage(listener) {
      listeners.push(listener);
    },
    close,
  };
}
