import type { AvailabilityChange } from '@artist-watch/persistence/change/change-availability';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { Instant, spanText } from '../../views/instant.js';
import { Section } from '../../views/page-head.js';

interface AvailabilityProps extends Pick<Visit, 'link' | 'now'> {
  readonly platformName: string;
  /** Newest first. */
  readonly changes: readonly AvailabilityChange[];
}

/** Lists the periods in which a release was missing. A removal and its restoration link to each other. */
export function Availability({ link, now, platformName, changes }: AvailabilityProps): VNode | null {
  const absences = changes.flatMap((change, index) => {
    if (!change.isRemoval) return [];
    const next = changes[index - 1];
    return { removed: change, restored: next?.isRemoval === false ? next : undefined };
  });
  if (absences.length === 0) return null;
  const linkTo = (change: AvailabilityChange, what: string) => (
    <a href={link(`/changes/${change.id}`)}>
      {what} <Instant at={change.detectedAt} isShort />
    </a>
  );
  return (
    <Section title={`On ${platformName}`}>
      <ul>
        {absences.map(({ removed, restored }) => (
          <li>
            Gone for {spanText(removed.detectedAt, restored?.detectedAt ?? now)}
            {restored === undefined && ', not back yet'}: {linkTo(removed, 'removed')}
            {restored && <>, {linkTo(restored, 'restored')}</>}
          </li>
        ))}
      </ul>
    </Section>
  );
}
