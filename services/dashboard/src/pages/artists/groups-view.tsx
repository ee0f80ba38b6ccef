import { GROUP_COLORS, MAX_GROUP_NAME_CHARS } from '@artist-watch/contracts/api/artist';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import type { GroupRecord } from '@artist-watch/persistence/account/groups';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { Confirmation, Form, fieldsOf, optionsOf, Select, TextField } from '../../views/form.js';
import { GroupTag } from '../../views/icon.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { numberText } from '../../views/text.js';

interface GroupsProps extends Pick<Visit, 'link'> {
  readonly groups: readonly GroupRecord[];
  readonly edited: GroupRecord | undefined;
  readonly typed: Readonly<Record<'name' | 'color', string>>;
  readonly problem: string | undefined;
}

export function groupsView({ link, groups, edited, typed, problem }: GroupsProps): VNode {
  const field = fieldsOf(typed, {});
  const path = link(edited ? `/groups/${edited.id}` : '/groups');
  return (
    <>
      <PageHead title="Groups" crumbs={[{ label: 'Artists', href: link('/artists') }]}>
        <p>Use groups in filters, channel rules, email rules and feeds. Add artists to a group on the Artists page.</p>
      </PageHead>
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      <Section title="Groups">
        <Table
          empty={<Empty title="No groups yet" icon="users" />}
          caption="Groups"
          rows={groups}
          href={({ id }) => link(`/groups/${id}`)}
          columns={[
            { label: 'Group', cell: (group) => <GroupTag {...group} /> },
            {
              label: 'Artists',
              numeric: true,
              cell: ({ id, artists }) => <a href={link(`/artists?group=${id}`)}>{numberText(artists)}</a>,
            },
          ]}
        />
      </Section>
      <Section title={edited ? 'Edit group' : 'New group'} actions={edited && <a href={link('/groups')}>Cancel</a>}>
        <Form action={path} button={edited ? 'Save' : 'Create group'} look="primary">
          <TextField {...field('name', 'Name')} required maxLength={MAX_GROUP_NAME_CHARS} />
          <Select {...field('color', 'Color')} options={optionsOf(GROUP_COLORS, changeTitle)} />
        </Form>
      </Section>
      {edited && (
        <Section title="Delete group">
          <Confirmation
            label="Delete group"
            question="You'll keep watching its artists, and their past changes stay in your list."
            action={`${path}/delete`}
            look="danger"
          />
        </Section>
      )}
    </>
  );
}
