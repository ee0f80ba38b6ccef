import { CHAT_PATHS, type ChatPlatform, takeChatMessage } from '@artist-watch/local-stack/demo/chat-platforms';
import { type Answer, type Receiver, startReceiver } from './receiver.js';

export { CHAT_SECRET } from '@artist-watch/local-stack/demo/chat-platforms';

/** Accepts and rejects the same messages as a chat platform. */
export interface ChatReceiver extends Receiver {
  /** The URL contains its secret. */
  readonly address: string;
  /** Accepted messages are shown as people read them. */
  readonly shown: readonly string[];
  /** The next `times` messages get this response and are not accepted. */
  answerNext(answer: Answer, times?: number): void;
}

export async function startChatReceiver(platform: ChatPlatform): Promise<ChatReceiver> {
  const shown: string[] = [];
  const planned: Answer[] = [];
  const receiver = await startReceiver({
    script: (request) => {
      const next = planned.shift();
      if (next) return next;
      const taken = takeChatMessage(platform, request);
      if (taken.shown !== undefined) shown.push(taken.shown);
      return taken.answer;
    },
  });
  return Object.assign(receiver, {
    address: `http://127.0.0.1:${receiver.port}${CHAT_PATHS[platform]}`,
    shown,
    answerNext(answer: Answer, times = 1) {
      for (let time = 0; time < times; time += 1) planned.push(answer);
    },
  });
}
