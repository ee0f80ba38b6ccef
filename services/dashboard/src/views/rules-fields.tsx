import { CHANGE_TYPES, SEVERITIES } from '@artist-watch/domain/change/change-types';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { ArtistName } from '@artist-watch/persistence/artist/artist-reads';
import type { VNode } from 'preact';
import { Checkboxes, optionsOf, Select } from './form.js';

export interface TypedRules {
  readonly min_severity: string;
  readonly change_types: readonly string[];
  readonly artist_ids: readonly string[];
}

interface RulesProps {
  readonly typed: TypedRules;
  readonly errors: Partial<Record<keyof TypedRules, string>>;
  readonly artists: readonly ArtistName[];
  /** The end of a sentence about matching changes, such as `are sent`. */
  readonly what: string;
  /** Prefixes the field names on pages with more than one set of rules. Default: none. */
  readonly prefix?: string;
}

const SEVERITY_OPTIONS = { '': 'Every severity', warning: 'Warning or higher', critical: 'Critical only' };

export function RulesFields({ typed, errors, artists, what, prefix = '' }: RulesProps): VNode {
  const typesOf = (severity: string) =>
    Object.entries(CHANGE_TYPES).flatMap(([type, facts]) => (facts.severity === severity ? [type] : []));
  const watched = Object.fromEntries(artists.map(({ id, name }) => [id, name]));
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
        <summary>Only some types of change</summary>
        <div class="stack">
          <p class="hint">If you select none, all types {what}.</p>
          {SEVERITIES.map((severity, index) => (
            <Checkboxes
              name={`${prefix}change_types`}
              label={changeTitle(severity)}
              values={typed.change_types}
              error={index === 0 ? errors.change_types : undefined}
              options={optionsOf(typesOf(severity), changeTitle)}
            />
          ))}
        </div>
      </details>
      <details open={typed.artist_ids.length > 0 || errors.artist_ids !== undefined}>
        <summary>Only some artists</summary>
        <Checkboxes
          name={`${prefix}artist_ids`}
          label="Artists"
          hint={`If you select none, changes of all watched artists ${what}. You can select up to 400.`}
          values={typed.artist_ids}
          error={errors.artist_ids}
          options={{ ...watched, ...optionsOf(gone, (id) => `${id} (not watched)`) }}
        />
      </details>
    </>
  );
}
