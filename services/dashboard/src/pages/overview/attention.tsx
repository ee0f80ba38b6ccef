import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import { PLATFORM_NAMES } from '@artist-watch/domain/catalogue';
import { distributorText } from '@artist-watch/domain/change/distributor-text';
import { type ListedEvent, listEvents } from '@artist-watch/domain/change/listed-events';
import { knownPlatformUrl } from '@artist-watch/domain/platform/platform-id';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { SeverityIcon } from '../../views/badge.js';
import { ShortBeforeAfter } from '../../views/change.js';
import { confirmationText } from '../../views/change-fact.js';
import { Title } from '../../views/changes-list.js';
import { Icon } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';
import { Section } from '../../views/page-head.js';

interface AttentionProps extends Pick<Visit, 'link' | 'account' | 'zone'> {
  readonly attention: readonly EvidencedChange[];
  readonly hasMoreAttention: boolean;
}

const ITEMS_SHOWN = 10;
const VALUES_SHOWN = 3;

export function Attention({ link, account, zone, attention, hasMoreAttention }: AttentionProps): VNode | null {
  if (attention.length === 0) return null;
  const items = listEvents(attention);
  return (
    <Section
      title={`Needs attention: ${hasMoreAttention ? 'more than ' : ''}${items.length}`}
      id="attention"
      actions={<a href={link('/changes?severity=warning&status=open')}>All open warnings and critical changes</a>}
    >
      <ul class="items">
        {items.slice(0, ITEMS_SHOWN).map((item) => (
          <Item {...item} {...{ link, account, zone }} />
        ))}
      </ul>
    </Section>
  );
}

function Item(props: ListedEvent<EvidencedChange> & Pick<AttentionProps, 'link' | 'account' | 'zone'>): VNode {
  const { link, account, zone, name, fact, severity, changes, newest } = props;
  const [first] = changes;
  const platformName = PLATFORM_NAMES[first.platform];
  const assignee = changes.find((change) => change.assignee !== null)?.assignee;
  const href = link(`/changes/${first.id}`);
  const urls = changes.map(({ platform, entityType, entityId }) => knownPlatformUrl(platform, entityType, entityId));
  return (
    <li class="item">
      <div>
        <div class="row">
          <SeverityIcon severity={severity} />
          <Title {...{ name, fact, href }} />
        </div>
        <p class="soft">
          {first.artistName !== name && (
            <>
              <bdi>{first.artistName}</bdi> ·{' '}
            </>
          )}
          {platformName} · <Instant at={newest.confirmedAt} isShort />
          {first.origin === 'observed' && ` · ${confirmationText(first)}`}
          {assignee && ` · assigned to ${assignee}`}
          {changes.length <= VALUES_SHOWN && changes.map((change) => <ShortBeforeAfter {...change} />)}
        </p>
      </div>
      <div class="actions">
        <a class="button" href={href}>
          View<span class="unseen"> {name}</span>
        </a>
        <button
          type="button"
          data-copy={distributorText(changes, platformName, urls, { name: account.name, zone })}
          hidden
        >
          <Icon name="copy" />
          Copy text for distributor<span class="unseen">: {name}</span>
        </button>
        <ActionButton
          action={link('/changes/handling')}
          // A field named `id` would hide the form's id from htmx, which would then replace the button.
          fields={{ change: changes.map(({ id }) => id).join(' '), status: 'handled', overview: '' }}
        >
          Mark as handled<span class="unseen">: {name}</span>
        </ActionButton>
      </div>
    </li>
  );
}
