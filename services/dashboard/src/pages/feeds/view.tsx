import type { FeedTokenRecord } from '@artist-watch/persistence/account/feed-tokens';
import type { GroupRecord } from '@artist-watch/persistence/account/groups';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ShownOnce } from '../../views/copyable.js';
import { GroupSelect } from '../../views/filters.js';
import { Confirmation, Form, TextField } from '../../views/form.js';
import { Instant } from '../../views/instant.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';

interface FeedsProps extends Pick<Visit, 'link'> {
  readonly feeds: ReadonlyArray<FeedTokenRecord & { readonly mayRevoke: boolean }>;
  readonly groups: readonly GroupRecord[];
  readonly refused: { readonly name: string; readonly text: string } | undefined;
  readonly draft: string;
}

export function feedsView({ link, feeds, groups, refused, draft }: FeedsProps): VNode {
  return (
    <>
      <PageHead title="Feeds" crumbs={[{ label: 'Changes', href: link('/changes') }]}>
        <p>
          An Atom feed shows your latest 100 changes in any feed reader. Anyone with a feed's URL can read it without
          signing in.
        </p>
      </PageHead>
      <Section title="Feeds">
        <Table
          empty={<Empty title="No feeds yet" icon="rss" />}
          caption="Feeds"
          rows={feeds}
          below={({ createdBy }) => (
            <p class="soft">
              Created by <bdi>{createdBy}</bdi>
            </p>
          )}
          columns={[
            { label: 'Name', cell: ({ name }) => <bdi>{name ?? 'Unnamed'}</bdi> },
            { label: 'Begins with', cell: ({ hint }) => <code>{hint}…</code> },
            { label: 'Created', cell: ({ createdAt }) => <Instant at={createdAt} /> },
            { label: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Instant at={lastUsedAt} /> : 'Never') },
            {
              label: 'Revoke',
              isAction: true,
              cell: ({ id, name, hint, mayRevoke }) =>
                mayRevoke && (
                  <Confirmation
                    action={link(`/feeds/${id}/revoke`)}
                    label="Revoke"
                    unseen={` ${name ?? hint}`}
                    look="danger"
                    question="Programs that use this feed get no more changes. You can't undo this."
                  />
                ),
            },
          ]}
        />
      </Section>
      <Section title="New feed">
        <Form action={link('/feeds/create')} button="Create feed" look="primary" draft={draft}>
          <TextField
            name="name"
            label="Name"
            value={refused?.name ?? ''}
            required
            maxLength={100}
            autocomplete="off"
            error={refused?.text}
            hint="For example, the person or program that reads the feed."
          />
          <GroupSelect name="group" label="Artists" groups={groups} any="All artists" />
        </Form>
      </Section>
    </>
  );
}

export function createdView({ link, name, address }: Pick<Visit, 'link'> & Record<'name' | 'address', string>): VNode {
  const page = { title: 'Feed created', copyLabel: 'Copy the URL' };
  return (
    <ShownOnce {...page} crumbs={[{ label: 'Feeds', href: link('/feeds') }]} name={name} secret={address}>
      Anyone with this URL can read the account's changes until someone revokes the feed or removes you from the
      account.
    </ShownOnce>
  );
}
