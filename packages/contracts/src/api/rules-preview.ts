import { ENTITY_TYPES, SEVERITIES } from '@artist-watch/domain/change/change-types';
import { z } from 'zod';
import { rulesInputSchema } from './destination-input.js';
import { artistIdSchema, changeIdSchema, instantSchema } from './identifiers.js';
import { presenter, type Shown } from './shown.js';

const RULES = ['min_severity', 'change_types', 'artist_ids'] as const;

export const previewRulesSchema = z.strictObject({ rules: rulesInputSchema }).meta({ id: 'PreviewRulesRequest' });

export const previewedChangeSchema = z
  .object({
    id: changeIdSchema,
    type: z.string(),
    severity: z.enum(SEVERITIES),
    entity_type: z.enum(ENTITY_TYPES),
    entity_name: z.string(),
    artist_id: artistIdSchema,
    artist_name: z.string().describe('As it was when the change was confirmed.'),
    summary: z.string(),
    confirmed_at: instantSchema,
    kept_back_by: z.array(z.enum(RULES)).describe('The rules that it does not pass; empty for one that matches.'),
  })
  .meta({ id: 'PreviewedChange' });

const countSchema = z.int().nonnegative();

/** What rules would have done. */
export const rulesPreviewSchema = z
  .object({
    days: z.int().describe('How many days are looked at, the newest 10,000 changes of them at most.'),
    matching: z.object({
      count: countSchema.describe('How many changes the rules would have let through.'),
      newest: z.array(previewedChangeSchema).describe('At most 10 of them, newest first.'),
    }),
    others: z.object({
      count: countSchema.describe('How many the rules would have kept back.'),
      by_rule: z
        .object({ min_severity: countSchema, change_types: countSchema, artist_ids: countSchema })
        .describe('How many each rule keeps back; one that several keep back counts for each.'),
      newest: z.array(previewedChangeSchema).describe('At most 10 of them, newest first.'),
    }),
  })
  .meta({ id: 'RulesPreview' });

/** What rules would have done, as the record says it. */
export interface ShownRulesPreview {
  readonly days: number;
  readonly matching: { readonly count: number; readonly newest: readonly ShownPreviewedChange[] };
  readonly others: {
    readonly count: number;
    readonly byRule: Readonly<Record<(typeof RULES)[number], number>>;
    readonly newest: readonly ShownPreviewedChange[];
  };
}

export type ShownPreviewedChange = Shown<z.infer<typeof previewedChangeSchema>>;

const presentChange = presenter(previewedChangeSchema);

export function presentRulesPreview({ days, matching, others }: ShownRulesPreview): z.infer<typeof rulesPreviewSchema> {
  return {
    days,
    matching: { count: matching.count, newest: matching.newest.map(presentChange) },
    others: { count: others.count, by_rule: { ...others.byRule }, newest: others.newest.map(presentChange) },
  };
}
