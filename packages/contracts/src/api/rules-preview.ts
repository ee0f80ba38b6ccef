import { z } from 'zod';
import { rulesInputSchema } from './destination-input.js';
import { changeTypeSchema, entityTypeSchema, openEnum, severitySchema } from './enums.js';
import { artistIdSchema, changeIdSchema, instantSchema } from './identifiers.js';
import { presenter, type Shown } from './shown.js';

const RULES = ['min_severity', 'change_types', 'artist_ids'] as const;

export const previewRulesSchema = z.strictObject({ rules: rulesInputSchema }).meta({ id: 'PreviewRulesRequest' });

export const previewedChangeSchema = z
  .object({
    id: changeIdSchema,
    type: changeTypeSchema,
    severity: severitySchema,
    entity_type: entityTypeSchema,
    entity_name: z.string(),
    artist_id: artistIdSchema,
    artist_name: z.string().describe("The artist's name at the time of confirmation."),
    summary: z.string(),
    confirmed_at: instantSchema,
    kept_back_by: z.array(openEnum(RULES)).describe('The rules that exclude the change. Empty if the change matches.'),
  })
  .meta({ id: 'PreviewedChange' });

const countSchema = z.int().nonnegative();

export const rulesPreviewSchema = z
  .object({
    days: z.int().describe('Number of days that the preview covers. It covers at most the newest 10,000 changes.'),
    matching: z.object({
      count: countSchema.describe('Number of changes that match the rules.'),
      newest: z.array(previewedChangeSchema).describe('The 10 newest, newest first.'),
    }),
    others: z.object({
      count: countSchema.describe('Number of changes that the rules exclude.'),
      by_rule: z
        .object({ min_severity: countSchema, change_types: countSchema, artist_ids: countSchema })
        .describe(
          'Number of changes that each rule excludes. A change can count for several rules. `artist_ids` includes `group_ids`.',
        ),
      newest: z.array(previewedChangeSchema).describe('The 10 newest, newest first.'),
    }),
  })
  .meta({ id: 'RulesPreview' });

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
