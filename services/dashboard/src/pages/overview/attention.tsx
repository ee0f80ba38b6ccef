import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import { PLATFORM_NAMES } from '@artist-watch/domain/catalogue';
import { changeEvents } from '@artist-watch/domain/change/change-events';
import { tracksText } from '@artist-watch/domain/change/change-value';
import { distributorText } from '@artist-watch/domain/change/distributor-text';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { factOf, timesVerified } from '../../views/change-fact.js';
import { Icon } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';
import { Section } from '../../views/page-head.js';
import { counted } from '../../views/text.js';

interface AttentionProps extends Pick<Visit, 'link'> {
  readonly attention: readonly EvidencedChange[];
  readonly hasMoreAttention: boolean;
}

const ITEMS_SHOWN = 10;

export function Attention({ link, attention, hasMoreAttention }: AttentionProps): VNode | null {
  if (attention.length === 0) return null;
  const items = itemsOf(attention);
  return (
    <Section
      title={`Needs attention: ${items.length}${hasMoreAttention ? ' and more' : ''}`}
      id="attention"
      actions={<a href={link('/changes?severity=critical&status=open')}>All open critical changes</a>}
    >
      <ul class="items">
        {items.slice(0, ITEMS_SHOWN).map((item) => (
          <Item link={link} item={item} />
        ))}
      </ul>
    </Section>
  );
}

type Case = readonly [EvidencedChange, ...EvidencedChange[]];

/** Groups critical changes as the lists do, and other changes by release. The newest case comes first. */
function itemsOf(changes: readonly EvidencedChange[]): readonly Case[] {
  const critical = changes.filter(({ severity }) => severity === 'critical');
  const events: (readonly EvidencedChange[])[] = changeEvents(critical).map(({ head, others }) => [
    ...(head ? [head] : []),
    ...others,
  ]);
  const takeovers = new Map<string, readonly EvidencedChange[]>();
  for (const change of changes.filter(({ severity }) => severity !== 'critical')) {
    const key = `${change.artistId} ${change.entityId} ${change.confirmedAt.getTime()}`;
    takeovers.set(key, [...(takeovers.get(key) ?? []), change]);
  }
  const newest = (one: Case) => Math.max(...one.map(({ confirmedAt }) => confirmedAt.getTime()));
  return ([...events, ...takeovers.values()] as Case[]).sort((one, other) => newest(other) - newest(one));
}

function Item({ link, item }: Pick<AttentionProps, 'link'> & { readonly item: Case }): VNode {
  const [first] = item;
  const { name, fact } = describe(item);
  const platformName = PLATFORM_NAMES[first.platform];
  const assignee = item.find((change) => change.assignee !== null)?.assignee;
  const href = link(`/changes/${first.id}`);
  return (
    <li class="item">
      <div>
        <p>
          <a class="row-link" href={href}>
            <bdi>{name}</bdi>
          </a>{' '}
          <span>{fact}</span>
        </p>
        <p class="soft">
          <bdi>{first.artistName}</bdi> · {platformName} · <Instant at={first.confirmedAt} isShort />
          {` · ${timesVerified(first)}`}
          {assignee && ` · assigned to ${assignee}`}
        </p>
      </div>
      <div class="actions">
        <a class="button" href={href}>
          View<span class="unseen"> {name}</span>
        </a>
        <button type="button" data-copy={letterOf(item, platformName)} hidden>
          <Icon name="copy" />
          Copy text for distributor<span class="unseen">: {name}</span>
        </button>
        <ActionButton
          action={link('/changes/handling')}
          fields={{ id: item.map(({ id }) => id).join(' '), status: 'handled', overview: '' }}
        >
          Mark handled<span class="unseen">: {name}</span>
        </ActionButton>
      </div>
    </li>
  );
}

/** Returns a name and a fact, such as "Flowers" and "removed from Deezer, with 12 tracks". */
function describe([first, ...others]: Case): { readonly name: string; readonly fact: string } {
  const { entityType, entityName, artistName, type, platform, before } = first;
  const fact = factOf(type, PLATFORM_NAMES[platform]).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
  const name = entityType === 'artist' ? artistName : entityName;
  if (others.length === 0) {
    const tracks = before?.kind === 'release' ? before.value.trackCount : null;
    return { name, fact: tracks ? `${fact}, with ${tracksText(tracks)}` : fact };
  }
  if (others.every(({ entityId }) => entityId === first.entityId)) return { name, fact: 'label and UPC changed' };
  if (others.every(({ releaseId }) => releaseId === first.entityId)) {
    return { name, fact: `${fact}, with ${tracksText(others.length)}` };
  }
  return { name: counted(others.length + 1, entityType), fact };
}

function letterOf(item: Case, platformName: string): string {
  const urls = item.map(({ platform, entityType, entityId }) => knownPlatformUrl(platform, entityType, entityId));
  return distributorText(item, platformName, urls);
}
