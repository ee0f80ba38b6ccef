import { chatAddressProblem, readChatAddress } from '@artist-watch/domain/channel/chat-address';
import { type DestinationKind, isChat } from '@artist-watch/domain/channel/destination-kind';
import type { SecretBox } from '../secret-box.js';

interface AddressColumns {
  readonly url: string;
  readonly sealedSecret?: Uint8Array<ArrayBuffer>;
}

/**
 * The columns that hold an address. That of a channel is a secret: `url` holds what may be shown of it, and the sealed
 * secret, which signs webhooks, is here where messages are posted.
 *
 * @throws {TypeError} for what has not the form of the kind, which is checked before.
 */
export function addressColumns(box: SecretBox, id: string, kind: DestinationKind, url: string): AddressColumns {
  if (!isChat(kind)) return { url };
  const address = readChatAddress(kind, url);
  if (!address) throw new TypeError(chatAddressProblem(kind));
  return { url: address.shownUrl, sealedSecret: box.seal(address.requestUrl, id) };
}
