import type { Lookup, Reverse, Tools, TrackItem } from '@artist-watch/contracts/api/tools';
import type { PlanName } from '@artist-watch/domain/account/plans';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { VNode } from 'preact';
import { Copyable } from '../../views/copyable.js';
import { Form, TextField } from '../../views/form.js';
import { Icon } from '../../views/icon.js';
import { dateText, Instant } from '../../views/instant.js';
import { currentReader } from '../../views/markup.js';
import { Facts, Meter, PageHead, Section } from '../../views/page-head.js';
import { PlanTooSmall } from '../../views/states.js';
import { Table } from '../../views/table.js';

export interface Asked {
  readonly tool: 'lookup' | 'reverse';
  readonly text: string;
  readonly found?: Lookup | Reverse;
  readonly error?: string;
}

interface ToolsProps {
  readonly link: (path: string) => string;
  readonly plan: PlanName;
  readonly isIncluded: boolean;
  /** Undefined if the allowance could not be read after a lookup. */
  readonly allowance: Tools['allowance'] | undefined;
  readonly asked: Asked | undefined;
}

const WHAT_THEY_DO = 'Find the ISRC, UPC and metadata of a track by its link, or all tracks with an ISRC.';

export function toolsView({ link, plan, isIncluded, allowance, asked }: ToolsProps): VNode {
  if (!isIncluded) {
    return (
      <>
        <PageHead title="Tools" />
        <PlanTooSmall what="Tools" plan={plan} has={({ toolCallsPerDay }) => toolCallsPerDay > 0}>
          <p>{WHAT_THEY_DO}</p>
        </PlanTooSmall>
      </>
    );
  }
  const typed = (tool: Asked['tool']) =>
    asked?.tool === tool ? { value: asked.text, ...(asked.error !== undefined && { error: asked.error }) } : {};
  return (
    <>
      <PageHead title="Tools">
        <p>{WHAT_THEY_DO}</p>
      </PageHead>
      {asked?.found && <Found found={asked.found} />}
      <div class="columns">
        <Section title="By link">
          <Form action={link('/tools/lookup')} button="Look up" icon="search">
            <TextField
              name="lookup"
              label="Track link"
              required
              maxLength={2048}
              autocomplete="off"
              hint={`A ${currentReader().platformName} link. Short links work too.`}
              {...typed('lookup')}
            />
          </Form>
        </Section>
        <Section title="By ISRC">
          <Form action={link('/tools/reverse')} button="Find tracks" icon="search">
            <TextField
              name="reverse"
              label="ISRC"
              required
              maxLength={40}
              autocomplete="off"
              hint="For example USRC17607839, with or without hyphens."
              {...typed('reverse')}
            />
          </Form>
        </Section>
      </div>
      <Section title="Daily look-ups">
        {allowance ? (
          <>
            <Meter label="Look-ups today (UTC)" value={allowance.used} max={allowance.limit} />
            <p class="soft">
              Look-ups through the API count too. They reset <Instant at={new Date(allowance.resets_at)} />.
            </p>
          </>
        ) : (
          <p class="soft">We can't show your current use right now.</p>
        )}
      </Section>
    </>
  );
}

function Found({ found }: { readonly found: Lookup | Reverse }): VNode {
  const matches = 'matches' in found ? found.matches : [];
  return (
    <Section title="Found" id="found">
      <TrackFacts track={found.track} />
      {matches.length > 1 && (
        <Table
          caption="All tracks with this ISRC"
          rows={matches}
          href={({ url }) => url}
          columns={[
            { label: 'Track', cell: ({ name }) => <bdi>{name}</bdi> },
            { label: 'Artists', cell: artistsOf },
            { label: 'Release', cell: ({ release }) => release?.name ?? '–' },
            { label: 'Date', cell: ({ release }) => dateText(release?.release_date) ?? '–' },
          ]}
        />
      )}
      <p class="soft">
        From {found.source.name}, <Instant at={new Date(found.source.retrieved_at)} />
      </p>
    </Section>
  );
}

function TrackFacts({ track }: { readonly track: TrackItem }): VNode {
  const { release } = track;
  return (
    <Facts
      items={[
        [
          'Track',
          <a href={track.url} rel="noreferrer">
            <bdi>{track.name}</bdi> <Icon name="external-link" />
          </a>,
        ],
        ['ISRC', track.isrc === null ? 'None' : <Copyable text={track.isrc} label="Copy the ISRC" />],
        ['Artists', artistsOf(track)],
        ['Release', release?.name && <bdi>{release.name}</bdi>],
        ['Type', release?.type && changeTitle(release.type)],
        ['Date', dateText(release?.release_date)],
        ['UPC', release?.upc && <Copyable text={release.upc} label="Copy the UPC" />],
        ['Label', release?.label && <bdi>{release.label}</bdi>],
        ['Length', track.duration_ms === null ? undefined : lengthOf(track.duration_ms)],
        ['Explicit', track.explicit === null ? undefined : track.explicit ? 'Yes' : 'No'],
      ]}
    />
  );
}

function artistsOf({ artists }: TrackItem): VNode {
  return <bdi>{artists.map(({ name }) => name).join(', ')}</bdi>;
}

function lengthOf(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
