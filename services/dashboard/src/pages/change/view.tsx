import type { PlanName } from '@artist-watch/domain/account/plans';
import { firstObserved } from '@artist-watch/domain/change/change-types';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { CustomerObservation } from '@artist-watch/domain/detection/customer-evidence';
import type { AvailabilityChange } from '@artist-watch/persistence/change/change-reads';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { BeforeAfter, FactLine } from '../../views/change.js';
import { CodeBlock, Copyable, ShownOnce } from '../../views/copyable.js';
import { ActionButton } from '../../views/form.js';
import { Badge, Icon, StateBadge, type Tone } from '../../views/icon.js';
import { Instant, spanText, Timeline } from '../../views/instant.js';
import { Facts, PageHead, Section } from '../../views/page-head.js';
import { Alert } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { counted } from '../../views/text.js';
import { Actions, PrintButton } from './actions.js';
import { Notifications } from './notifications.js';
import type { readChange, readShownChange } from './query.js';

/** Lists the periods when a release was missing, with links to each removal and restoration. */
function Availability({ link, now, platformName, availability }: ChangeProps): VNode | null {
  const absences = availability.flatMap((change, index) => {
    if (!change.isRemoval) return [];
    const next = availability[index - 1];
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
            {restored ? 'Missing earlier, for ' : 'Missing now, for '}
            {spanText(removed.detectedAt, restored?.detectedAt ?? now)}: {linkTo(removed, 'removed')}
            {restored && <>, {linkTo(restored, 'restored')}</>}
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface ShownChangeProps extends Awaited<ReturnType<typeof readShownChange>> {
  readonly pictures: Awaited<ReturnType<typeof readChange>>['pictures'];
  readonly artistHref?: string;
}

interface ChangeProps extends Pick<Visit, 'link' | 'now'>, Awaited<ReturnType<typeof readChange>> {
  readonly plan: PlanName;
  /** A letter to the distributor. Undefined if there is nothing to correct. */
  readonly text: string | undefined;
  readonly problem: string | undefined;
  readonly draft: string;
}

/** Deliveries are deleted after 90 days. */
const RECORDS_KEPT_MS = 90 * 86_400_000;

export function changeView(props: ChangeProps): VNode {
  const { link, now, change, text, availability } = props;
  const [newest] = availability;
  const isOld = now.getTime() - change.confirmedAt.getTime() > RECORDS_KEPT_MS;
  const isOpen = change.status === 'open' && (newest?.isRemoval ?? true);
  return (
    <>
      <PageHead title={<Subject {...change} />} crumbs={[{ label: 'Changes', href: link('/changes') }]}>
        <FactLine {...props} />
      </PageHead>
      <div class="record">
        <Actions {...props} isOpen={isOpen} />
        <div class="story">
          <Availability {...props} />
          <ChangeFacts {...props} artistHref={link(`/changes?artist=${encodeURIComponent(change.artistId)}`)} />
          {text !== undefined && (
            <details class="section" open={isOpen}>
              <summary>
                <h2>Text for distributor</h2>
              </summary>
              <CodeBlock label="the text" code={text} />
            </details>
          )}
          <Section title="Notifications">
            <Notifications {...props} isOld={isOld} />
          </Section>
          <Shares {...props} />
        </div>
      </div>
    </>
  );
}

interface SharedChangeProps extends ShownChangeProps {
  readonly accountName: string;
  readonly expiresAt: Date;
}

export function sharedChangeView({ accountName, expiresAt, ...shown }: SharedChangeProps): VNode {
  const { change } = shown;
  return (
    <>
      <PageHead title={<Subject {...change} />} actions={<PrintButton />}>
        <FactLine {...shown} isExact />
        <p>
          <bdi>{accountName}</bdi> shared this change with you from Artist Watch. The link works until{' '}
          <Instant at={expiresAt} isExact />.
        </p>
      </PageHead>
      <ChangeFacts {...shown} />
    </>
  );
}

function Subject({ entityType, entityName, artistName }: ShownChangeProps['change']): VNode {
  if (entityType === 'artist') return <bdi>{artistName}</bdi>;
  return (
    <>
      <bdi>{entityName}</bdi>{' '}
      <span class="soft">
        by <bdi>{artistName}</bdi>
      </span>
    </>
  );
}

function ChangeFacts({ change, platformName, platformUrl, pictures, artistHref }: ShownChangeProps): VNode {
  const artist = <bdi>{change.artistName}</bdi>;
  const { label, upc, tracks = [] } = change.facts ?? {};
  return (
    <>
      {(change.before ?? change.after ?? /_changed$/.test(change.type)) && (
        <Section title="Before and after">
          <BeforeAfter before={change.before} after={change.after} pictures={pictures} />
        </Section>
      )}
      {tracks.length > 0 && change.entityType === 'release' && (
        <details class="section" open={tracks.length <= OPEN_TRACKS}>
          <summary>
            <h2>Tracks</h2> <span class="soft">{tracks.length}</span>
          </summary>
          <Table
            caption="Tracks"
            isTerse
            rows={tracks}
            columns={[
              { label: 'Title', cell: ({ title }) => <bdi>{title ?? '–'}</bdi> },
              { label: 'ISRC', cell: ({ isrc }) => (isrc ? <Copyable text={isrc} label="Copy the ISRC" /> : '–') },
            ]}
          />
        </details>
      )}
      <Section title="Details">
        <Facts
          items={[
            ['Type', changeTitle(change.type)],
            ['Artist', artistHref === undefined ? artist : <a href={artistHref}>{artist}</a>],
            change.entityType === 'artist'
              ? ['Name', undefined]
              : [changeTitle(change.entityType), <bdi>{change.entityName}</bdi>],
            ['Release', change.releaseName === null ? null : <bdi>{change.releaseName}</bdi>],
            ['Label', change.type === 'release_removed' ? null : label],
            ['UPC', change.type === 'release_removed' || !upc ? null : <Copyable text={upc} label="Copy the UPC" />],
            [
              `On ${platformName}`,
              platformUrl === null ? (
                change.entityId
              ) : (
                <a href={platformUrl} rel="noreferrer">
                  Open <Icon name="external-link" />
                </a>
              ),
            ],
            [changeTitle(firstObserved(change.type)), <Instant at={change.detectedAt} isExact />],
            ['Confirmed', <Instant at={change.confirmedAt} isExact />],
            ['ID', <Copyable text={change.id} label="Copy the ID" />],
          ]}
        />
      </Section>
      <details class="section">
        <summary>
          <h2>Evidence</h2> <span class="soft">{agreement(change)}</span>
        </summary>
        <Evidence {...change} />
      </details>
    </>
  );
}

const OPEN_TRACKS = 20;

const KINDS: Readonly<Record<CustomerObservation['kind'], { readonly tone: Tone; readonly word?: string }>> = {
  counted: { tone: 'info' },
  not_counted: { tone: 'quiet', word: "Doesn't count" },
  held: { tone: 'warn', word: 'On hold' },
};

function agreement({ origin, observations }: ShownChangeProps['change']): string {
  if (origin === 'reported') return 'from the sender';
  const counts = observations.filter(({ kind }) => kind === 'counted').length;
  const others = observations.filter(({ kind }) => kind === 'not_counted').length;
  return `${counts} of ${counted(counts + others, 'check')} ${counts === 1 ? 'agrees' : 'agree'}`;
}

function Evidence({ origin, observations, confirmedAt }: ShownChangeProps['change']): VNode {
  if (origin === 'reported') {
    return <p class="soft">This change was reported through the API. Its sender has the evidence.</p>;
  }
  const entries = observations.map(({ observedAt, kind, text }) => ({
    at: observedAt,
    tone: KINDS[kind].tone,
    title: (
      <>
        {KINDS[kind].word && <Badge tone={KINDS[kind].tone}>{KINDS[kind].word}</Badge>} <span dir="ltr">{text}</span>
      </>
    ),
  }));
  const confirmed = { at: confirmedAt, tone: 'good' as const, title: <StateBadge state="confirmed" /> };
  return <Timeline entries={[...entries, confirmed]} isExact />;
}

function Shares({ change, shares, link, problem, draft }: ChangeProps): VNode {
  return (
    <Section
      title="Share links"
      id="shares"
      actions={
        <ActionButton action={link(`/changes/${change.id}/share`)} fields={{ draft }}>
          <Icon name="share-2" />
          Create share link
        </ActionButton>
      }
    >
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      <Table
        empty={
          <p class="soft">
            Anyone with a share link can view this change for 7 days, without signing in. They see nothing else.
          </p>
        }
        caption="Share links for this change"
        rows={shares}
        columns={[
          { label: 'Created by', cell: ({ createdBy }) => createdBy },
          { label: 'Created', cell: ({ createdAt }) => <Instant at={createdAt} /> },
          { label: 'Ends', cell: ({ expiresAt }) => <Instant at={expiresAt} /> },
          {
            label: 'Revoke',
            isAction: true,
            cell: ({ id }) => (
              <ActionButton action={link(`/changes/${change.id}/shares/${id}/revoke`)} look="danger">
                Revoke
              </ActionButton>
            ),
          },
        ]}
      />
    </Section>
  );
}

export function createdShareView({
  change,
  url,
  link,
}: Pick<Visit, 'link'> & { change: { id: string; summary: string }; url: string }): VNode {
  const page = { title: 'Share link created', copyLabel: 'Copy the link' };
  return (
    <ShownOnce
      {...page}
      crumbs={[{ label: change.summary, href: link(`/changes/${change.id}`) }]}
      name="Share link"
      secret={url}
    >
      Anyone with this link can view this change for 7 days, without signing in. They see nothing else. You can revoke
      it at any time.
    </ShownOnce>
  );
}
