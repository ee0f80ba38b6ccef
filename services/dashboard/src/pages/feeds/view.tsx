import type { FeedTokenRecord } from '@artist-watch/persistence/account/feed-tokens';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { Confirmation } from '../../views/action.js';
import { ShownOnce } from '../../views/copyable.js';
import { Form, TextField } from '../../views/form.js';
import { Instant } from '../../views/instant.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';

interface ListedFeed extends FeedTokenRecord {
  readonly mayRevoke: boolean;
}

interface FeedsProps extends Pick<Visit, 'link'> {
  readonly feeds: readonly ListedFeed[];
  readonly refused: { readonly name: string; readonly text: string } | undefined;
  /** What makes the form create one feed, however often it is sent. */
  readonly draft: string;
}

export function feedsView({ link, feeds, refused, draft }: FeedsProps): VNode {
  return (
    <>
      <PageHead title="Feeds" crumbs={[{ label: 'Changes', href: link('/changes') }]}>
        <p>
          A feed reader, or a program that takes Atom feeds, shows the newest 100 changes of this account. Whoever has
          the address of a feed needs no sign-in.
        </p>
      </PageHead>
      <Section title="Feeds of this account">
        <Table
          empty={<Empty title="There is no feed yet" icon="rss" />}
          caption="Feeds"
          rows={feeds}
          below={({ createdBy }) => (
            <p class="soft">
              by <bdi>{createdBy}</bdi>
            </p>
          )}
          columns={[
            { label: 'Name', cell: ({ name }) => <bdi>{name ?? 'No name'}</bdi> },
            { label: 'Token begins with', cell: ({ hint }) => <code>{hint}…</code> },
            { label: 'Created', cell: ({ createdAt }) => <Instant at={createdAt} /> },
            { label: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? <Instant at={lastUsedAt} /> : 'never') },
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
                    question="Programs that read it get nothing more. A revoked address never becomes valid again."
                  />
                ),
            },
          ]}
        />
      </Section>
      <Section title="Create a feed">
        <Form action={link('/feeds/create')} button="Create the feed" look="primary" draft={draft}>
          <TextField
            name="name"
            label="Name"
            value={refused?.name ?? ''}
            required
            maxLength={100}
            autocomplete="off"
            error={refused?.text}
            hint="Who or what reads it."
          />
        </Form>
      </Section>
    </>
  );
}

export function createdView({ link, name, address }: Pick<Visit, 'link'> & Record<'name' | 'address', string>): VNode {
  const page = { title: 'The feed is created', copyLabel: 'Copy the address' };
  return (
    <ShownOnce {...page} crumbs={[{ label: 'Feeds', href: link('/feeds') }]} name={name} secret={address}>
      Whoever has the address can read the changes of this account, until the feed is revoked or you lose your seat.
    </ShownOnce>
  );
}
