import type { ApiKeyId } from '@artist-watch/domain/ids';
import { type ApiKeyRecord, apiKeyIssuer } from '@artist-watch/persistence/account/api-keys';
import type { Database } from '@artist-watch/persistence/database/database';
import type { Visit } from '../../application/page.js';

const PAGE_KEYS = 50;

/** Keys that are valid, or that were revoked; newest first. One statement. */
export async function readKeys(
  database: Database,
  { account }: Visit,
  { revoked, before }: { readonly revoked: boolean; readonly before: ApiKeyId | undefined },
): Promise<{ readonly keys: ApiKeyRecord[]; readonly next: ApiKeyId | undefined }> {
  const request = { accountId: account.id, revoked, before, limit: PAGE_KEYS + 1 };
  const read = await apiKeyIssuer(database).page(request);
  const keys = read.slice(0, PAGE_KEYS);
  return { keys, next: read.length > PAGE_KEYS ? keys.at(-1)?.id : undefined };
}
