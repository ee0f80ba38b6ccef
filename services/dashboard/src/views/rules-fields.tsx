import { CHANGE_TYPES, SEVERITIES } from '@artist-watch/domain/change/change-types';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { DestinationRules } from '@artist-watch/domain/delivery/destination-rules';
import type { GroupRecord } from '@artist-watch/persistence/account/groups';
import type { ArtistName } from '@artist-watch/persistence/artist/artist-reads';
import type { VNode } from 'preact';
import { Checkboxes, optionsById, optionsOf, Select } from './form.js';

export interface TypedRules {
  readonly min_severity: string;
  readonly change_types: readonly string[];
  readonly artist_ids: readonly string[];
  readonly group_ids: readonly string[];
}

export function shownRules({ minSeverity, changeTypes, artistIds, groupIds }: DestinationRules): TypedRules {
  return { min_severity: minSeverity ?? '', change_types: changeTypes, artist_ids: artistIds, group_ids: groupIds };
}

/** One more than the maximum in a rule, so that validation still rejects a list that is too long. */
const MAX_TICKED = 401;

export function typedRules(form: URLSearchParams, prefix = ''): TypedRules {
  const ticked = (name: string) => form.getAll(`${prefix}${name}`).slice(0, MAX_TICKED);
  return {
    min_severity: (form.get(`${prefix}min_severity`) ?? '').trim(),
    change_types: ticked('change_types'),
    artist_ids: ticked('artist_ids'),
    group_ids: ticked('group_ids'),
  };
}

export function rulesInput({ min_severity, change_types, artist_ids, group_ids }: TypedRules) {
  return { min_severity: min_severity || null, change_types, artist_ids, group_ids };
}

interface RulesProps {
  readonly typed: TypedRules;
  readonly errors: Partial<Record<keyof TypedRules, string>>;
  readonly artists: readonly ArtistName[];
  readonly groups: readonly GroupRecord[];
  /** Completes a sentence about matching changes, for example `are sent`. */
  readonly what: string;
  /** Prefixes the field names on pages with more than one set of rules. Default: none. */
  readonly prefix?: string;
}

export const SEVERITY_OPTIONS = { '': 'All severities', warning: 'Warning or higher', critical: 'Critical only' };

const EXPLAINED: Readonly<Record<string, string>> = {
  availability_reduced: 'Availability reduced (critical if at least half of the markets are lost)',
  release_moved: 'Release moved to another artist',
  release_replaced: 'Release replaced (has a new ID)',
  track_replaced: 'Track replaced (has a new ID)',
};

export function RulesFields({ typed, errors, artists, groups, what, prefix = '' }: RulesProps): VNode {
  const typesOf = (severity: string) =>
    Object.entries(CHANGE_TYPES).flatMap(([type, facts]) => (facts.severity === severity ? [type] : []));
  const watched = optionsById(artists);
  const chosen = (count: number) => (count === 0 ? 'all' : `${count} selected`);
  const gone = typed.artist_ids.filter((id) => !Object.hasOwn(watched, id));
  return (
    <>
      <Select
        name={`${prefix}min_severity`}
        label="Severity"
        value={typed.min_severity}
        error={errors.min_severity}
        options={SEVERITY_OPTIONS}
      />
      <details open={typed.change_types.length > 0 || errors.change_types !== undefined}>
        <summary>Types: {chosen(typed.change_types.length)}</summary>
        <div class="stack">
          <p class="hint">If you select none, all types {what}.</p>
          {SEVERITIES.map((severity, index) => (
            <Checkboxes
              name={`${prefix}change_types`}
              label={changeTitle(severity)}
              values={typed.change_types}
              error={index === 0 ? errors.change_types : undefined}
              options={optionsOf(typesOf(severity), (type) => EXPLAINED[type] ?? changeTitle(type))}
            />
          ))}
        </div>
      </details>
      <details open={typed.artist_ids.length + typed.group_ids.length > 0 || errors.artist_ids !== undefined}>
        <summary>Artists: {chosen(typed.artist_ids.length + typed.group_ids.length)}</summary>
        {groups.length > 0 && (
          <Checkboxes
            name={`${prefix}group_ids`}
            label="Groups"
            values={typed.group_ids}
            options={optionsById(groups)}
          />
        )}
        <Checkboxes
          name={`${prefix}artist_ids`}
          label="Artists"
          hint={`If you select no group and no artist, changes to every artist ${what}. You can select up to 400 artists.`}
          values={typed.artist_ids}
          error={errors.artist_ids}
          options={{ ...watched, ...optionsOf(gone, (id) => `${id} (not watched)`) }}
        />
      </details>
    </>
  );
}
