import type { Platform } from '@artist-watch/domain/catalogue';
import { parseArtistAddress } from '@artist-watch/domain/platform/artist-address';
import { isPlatformId, PLATFORM_ID_FORMS } from '@artist-watch/domain/platform/platform-id';
import { PlanLimitReached } from '@artist-watch/domain/refusals';
import type { WatchStore } from '@artist-watch/persistence/account/watches';
import { newArtistId, newId } from '@artist-watch/runtime/ids';
import type { Visit } from '../../application/page.js';

/** What became of a line. */
export interface LineResult {
  readonly line: string;
  readonly outcome: 'added' | 'watched already' | 'not added';
  readonly artist?: { readonly id: string; readonly name: string };
  /** Why it was not added. */
  readonly reason?: string;
}

const REASONS = {
  not_an_address: 'This is not the address of an artist.',
  other_platform: 'This is an address of another platform than the one that is watched here.',
  other_kind: 'This is the address of something else than an artist.',
} as const;

/** Lines that say something, without spaces around them. */
export function linesOf(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * Watches what each line means, one after the other, so that each has its own answer; what the plan does not allow any
 * more is refused line by line. Lines that were added before an error stay, and are watched already the next time.
 */
export async function addLines(
  lines: readonly string[],
  { watches, platform }: { readonly watches: WatchStore; readonly platform: Platform },
  { account, actor: by, now }: Visit,
): Promise<LineResult[]> {
  const results: LineResult[] = [];
  for (const line of lines) results.push({ line, ...(await add(line)) });
  return results;

  async function add(line: string): Promise<Omit<LineResult, 'line'>> {
    const meant = platformIdOf(line, platform);
    if ('reason' in meant) return { outcome: 'not added', reason: meant.reason };
    try {
      const { artist, created } = await watches.watch({
        watchId: newId('wat', now),
        accountId: account.id,
        artistId: newArtistId(),
        ...{ platform, platformId: meant.id, by, now },
      });
      return { outcome: created ? 'added' : 'watched already', artist };
    } catch (error) {
      if (error instanceof PlanLimitReached) return { outcome: 'not added', reason: error.message };
      throw error;
    }
  }
}

/** Whether an artist has the id, the first reading will tell. */
function platformIdOf(line: string, platform: Platform): { readonly id: string } | { readonly reason: string } {
  if (isPlatformId(platform, line)) return { id: line };
  if (!/[./:]/.test(line)) return { reason: `An id ${PLATFORM_ID_FORMS[platform]}.` };
  const address = parseArtistAddress(line, platform);
  return address.kind === 'artist' ? { id: address.artistId } : { reason: REASONS[address.reason] };
}
