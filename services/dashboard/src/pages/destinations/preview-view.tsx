import type { RulesPreview as Preview } from '@artist-watch/persistence/destination/rules-preview';
import type { VNode } from 'preact';
import { SeverityBadge } from '../../views/badge.js';
import { Instant } from '../../views/instant.js';

const RULE_WORDS = { min_severity: 'the severity', change_types: 'the types', artist_ids: 'the artists' } as const;

/** What the rules of a form would have done of late; htmx replaces it while they are chosen. */
export function RulesPreview({ preview }: { preview: Preview }): VNode {
  const { days, matching, others } = preview;
  const all = matching.count + others.count;
  const kept = (Object.keys(RULE_WORDS) as (keyof typeof RULE_WORDS)[]).filter((rule) => others.byRule[rule] > 0);
  return (
    <div id="rules-preview" class="stack" aria-live="polite">
      {all === 0 ? (
        <p>No change was confirmed in the last {days} days.</p>
      ) : (
        <p>
          <strong>
            {matching.count.toLocaleString('en-GB')} of {all.toLocaleString('en-GB')}
          </strong>{' '}
          changes of the last {days} days.
        </p>
      )}
      {kept.length > 0 && (
        <p class="soft">
          Kept back by{' '}
          {kept.map((rule) => `${RULE_WORDS[rule]}: ${others.byRule[rule].toLocaleString('en-GB')}`).join(', by ')}.
        </p>
      )}
      {matching.newest.length > 0 && (
        <ul class="stack">
          {matching.newest.map(({ severity, artistName, summary, confirmedAt }) => (
            <li>
              <SeverityBadge severity={severity} />{' '}
              {!summary.includes(artistName) && (
                <>
                  <bdi>{artistName}</bdi>:{' '}
                </>
              )}
              <bdi>{summary}</bdi>{' '}
              <span class="soft">
                <Instant at={confirmedAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
