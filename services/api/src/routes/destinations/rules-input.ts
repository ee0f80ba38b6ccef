import type { updateDestinationSchema } from '@artist-watch/contracts/api/destination-input';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { ArtistId } from '@artist-watch/domain/ids';
import type { z } from 'zod';

type RulesInput = z.output<typeof updateDestinationSchema>['rules'];

/** The rules that were given, each entry once; what was left out is left out. */
export function rulesFrom(input: RulesInput): Partial<DestinationRules> {
  if (!input) return {};
  const { min_severity: minSeverity, change_types: changeTypes, artist_ids: artistIds } = input;
  return {
    ...(minSeverity !== undefined && { minSeverity }),
    ...(changeTypes && { changeTypes: [...new Set(changeTypes)] }),
    ...(artistIds && { artistIds: [...new Set(artistIds)] as ArtistId[] }),
  };
}
