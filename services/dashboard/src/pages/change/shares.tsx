import type { ChangeShareRecord } from '@artist-watch/persistence/change/change-shares';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { ShownOnce } from '../../views/copyable.js';
import { Icon } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';
import { Section } from '../../views/page-head.js';
import { Alert } from '../../views/states.js';
import { Table } from '../../views/table.js';

interface SharesProps {
  readonly changeId: string;
  readonly shares: readonly ChangeShareRecord[];
  readonly link: Visit['link'];
  readonly problem: string | undefined;
  readonly draft: string;
}

export function Shares({ changeId, shares, link, problem, draft }: SharesProps): VNode {
  return (
    <Section
      title="Share links"
      id="shares"
      actions={
        <ActionButton action={link(`/changes/${changeId}/share`)} fields={{ draft }}>
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
              <ActionButton action={link(`/changes/${changeId}/shares/${id}/revoke`)} look="danger">
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
