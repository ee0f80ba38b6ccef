import type { PlanName } from '@artist-watch/domain/account/plans';
import type { EntityType, Severity } from '@artist-watch/domain/change/change-types';
import { type ChangeValue, changeValueText } from '@artist-watch/domain/change/change-value';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { CustomerObservation, CustomerReading } from '@artist-watch/domain/detection/customer-evidence';
import type { VNode } from 'preact';
import { Badge, SeverityBadge, type Tone } from '../../views/badge.js';
import { BeforeAfter, type ShownPicture } from '../../views/change.js';
import { CodeBlock, Copyable } from '../../views/copyable.js';
import { Icon } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';
import { Facts, PageHead, Section } from '../../views/page-head.js';
import { Timeline } from '../../views/timeline.js';
import { type NotificationProps, Notifications } from './notifications.js';
import { type ShareProps, Shares } from './shares.js';

/** What everybody may read of a change who may read it at all. */
export interface ShownChangeProps {
  readonly change: {
    readonly id: string;
    readonly type: string;
    readonly severity: Severity;
    readonly artistId: string;
    readonly artistName: string;
    readonly entityType: EntityType;
    readonly entityId: string;
    readonly entityName: string;
    readonly releaseName: string | null;
    readonly summary: string;
    readonly detectedAt: Date;
    readonly confirmedAt: Date;
    readonly before: ChangeValue | null;
    readonly after: ChangeValue | null;
    readonly origin: 'observed' | 'reported';
    readonly observations: readonly CustomerObservation[];
  };
  readonly platformName: string;
  readonly platformUrl: string | null;
  readonly pictures: { readonly before?: ShownPicture; readonly after?: ShownPicture };
}

interface ChangeProps extends ShownChangeProps {
  readonly link: (path: string) => string;
  readonly plan: PlanName;
  readonly notifications: readonly NotificationProps[];
  readonly shares: readonly ShareProps[];
  /** Undefined where there is nothing to write about. */
  readonly text: string | undefined;
  /** Why the change was not shared. */
  readonly problem: string | undefined;
  /** What makes the form of share links create one, however often it is sent. */
  readonly draft: string;
}

export function changeView(props: ChangeProps): VNode {
  const { link, plan, change, notifications, shares, text, problem, draft } = props;
  return (
    <>
      <PageHead
        title={<bdi>{change.summary}</bdi>}
        crumbs={[{ label: 'Changes', href: link('/changes') }]}
        badges={<SeverityBadge severity={change.severity} />}
        actions={<PrintButton />}
      />
      <ChangeFacts {...props} artistHref={link(`/changes?artist=${encodeURIComponent(change.artistId)}`)} />
      <Section title="Notifications">
        <Notifications link={link} plan={plan} notifications={notifications} />
      </Section>
      {text !== undefined && (
        <Section title="Text for the distributor">
          <CodeBlock label="the text" code={text} />
        </Section>
      )}
      <Shares changeId={change.id} {...{ link, shares, problem, draft }} />
    </>
  );
}

/** Appears where scripts run. */
export function PrintButton(): VNode {
  return (
    <button type="button" data-print hidden>
      <Icon name="printer" />
      Print
    </button>
  );
}

/** What it was and what it became, and how that is known. @param artistHref undefined for readers without the account */
export function ChangeFacts({
  change,
  platformName,
  platformUrl,
  pictures,
  artistHref,
}: ShownChangeProps & { readonly artistHref?: string }): VNode {
  return (
    <>
      <Section title="Before and after">
        <BeforeAfter before={change.before} after={change.after} pictures={pictures} />
      </Section>
      <div class="columns">
        <Section title="Evidence">
          <Evidence {...change} />
        </Section>
        <Section title="Details">
          <Facts
            items={[
              ['Type', changeTitle(change.type)],
              [
                'Artist',
                artistHref === undefined ? (
                  <bdi>{change.artistName}</bdi>
                ) : (
                  <a href={artistHref}>
                    <bdi>{change.artistName}</bdi>
                  </a>
                ),
              ],
              change.entityType === 'artist'
                ? ['Name', undefined]
                : [changeTitle(change.entityType), <bdi>{change.entityName}</bdi>],
              ['On the release', change.releaseName === null ? null : <bdi>{change.releaseName}</bdi>],
              [
                platformName,
                platformUrl === null ? (
                  change.entityId
                ) : (
                  <a href={platformUrl} rel="noreferrer">
                    Open <Icon name="external-link" />
                  </a>
                ),
              ],
              ['First seen', <Instant at={change.detectedAt} />],
              ['Confirmed', <Instant at={change.confirmedAt} />],
              ['Id', <Copyable text={change.id} label="Copy the id" />],
            ]}
          />
        </Section>
      </div>
    </>
  );
}

const KINDS: Readonly<Record<CustomerObservation['kind'], { readonly tone: Tone; readonly word: string }>> = {
  counted: { tone: 'info', word: 'counts' },
  not_counted: { tone: 'quiet', word: 'does not count' },
  held: { tone: 'warn', word: 'held' },
};

function Evidence({ origin, observations, confirmedAt }: ShownChangeProps['change']): VNode {
  if (origin === 'reported') {
    return <p class="soft">Another detector reported this change. It keeps the evidence itself.</p>;
  }
  const entries = observations.map(({ observedAt, kind, text, readings, seen }) => ({
    at: observedAt,
    tone: KINDS[kind].tone,
    title: <Badge tone={KINDS[kind].tone}>{KINDS[kind].word}</Badge>,
    details: (
      <>
        <p>
          <bdi>{text}</bdi>
        </p>
        {readings.length > 0 && <p class="soft">{readings.map(readingText).join('; ')}.</p>}
        {seen !== null && !text.includes(changeValueText(seen)) && (
          <p class="soft">
            Seen: <bdi>{changeValueText(seen)}</bdi>
          </p>
        )}
      </>
    ),
  }));
  const confirmed = { at: confirmedAt, tone: 'good' as const, title: <Badge tone="good">confirmed</Badge> };
  return <Timeline entries={[...entries, confirmed]} isExact />;
}

const SAID: Readonly<Record<CustomerReading['said'], string>> = {
  missing: 'missing',
  changed: 'changed',
  present: 'present as before',
  gone: 'gone',
  unclear: 'no clear answer',
};

function readingText({ read, said }: CustomerReading, index: number): string {
  const path = read === 'list' ? 'complete reading' : 'asked for by its id';
  return `${index === 0 ? changeTitle(path) : path}: ${SAID[said]}`;
}
