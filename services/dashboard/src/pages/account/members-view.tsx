import type { MemberId } from '@artist-watch/domain/ids';
import type { MemberRecord } from '@artist-watch/persistence/account/members';
import type { RefusedMail } from '@artist-watch/persistence/mail/outbox';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { Confirmation, Form, Select, TextField } from '../../views/form.js';
import { Badge, StateBadge } from '../../views/icon.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Alert, Upgrade } from '../../views/states.js';
import { type Column, Table } from '../../views/table.js';
import { counted } from '../../views/text.js';

interface MembersProps extends Pick<Visit, 'link'> {
  readonly you: Visit['member'];
  readonly members: readonly MemberRecord[];
  readonly refused: ReadonlyMap<MemberId, RefusedMail>;
  readonly seats: number;
  readonly problem: string | undefined;
  readonly email: string | undefined;
}

export function membersView(props: MembersProps): VNode {
  const { you, link, members, refused, seats, problem } = props;
  const mayChange = you.role === 'owner';
  const owners = members.filter(({ role }) => role === 'owner').length;
  const change: Column<MemberRecord> = {
    label: 'Change',
    isAction: true,
    cell: (member) =>
      member.role === 'owner' && owners === 1 ? (
        <span class="soft">The only owner</span>
      ) : (
        <MemberActions {...member} link={link} />
      ),
  };
  return (
    <>
      <PageHead title="Members">
        <p>Members can use this account and get its emails.</p>
      </PageHead>
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      <Section title={`${members.length} of ${counted(seats, 'member')}`}>
        <Table
          caption="Members"
          isTerse
          rows={members}
          columns={[
            {
              label: 'Email address',
              cell: ({ id, email }) => (
                <span class="row">
                  {email}
                  {id === you.id && <Badge tone="info">You</Badge>}
                </span>
              ),
            },
            { label: 'Role', cell: ({ role }) => (role === 'owner' ? 'Owner' : 'Member') },
            {
              label: 'State',
              cell: ({ id, joinedAt }) => (
                <>
                  <StateBadge state={joinedAt === null ? 'invited' : 'active'} />
                  {refused.has(id) && (
                    <p class="field-error">
                      The last email was rejected{refused.get(id)?.isFinal ? '' : ", and we're trying again"}:{' '}
                      {refused.get(id)?.error}
                    </p>
                  )}
                </>
              ),
            },
            ...(mayChange ? [change] : []),
          ]}
        />
      </Section>
      {mayChange && <InviteForm {...props} />}
    </>
  );
}

function MemberActions({ id, email, role, link }: MemberRecord & Pick<MembersProps, 'link'>): VNode {
  const other = role === 'owner' ? 'member' : 'owner';
  return (
    <span class="row">
      <Confirmation
        label={`Make ${other}`}
        unseen={`: ${email}`}
        question={
          other === 'owner'
            ? `${email} will also be able to manage members, API keys and secrets, and to see the audit log.`
            : `${email} will only be able to manage artists and channels.`
        }
        action={link(`/members/${id}/role`)}
        fields={{ role: other }}
      />
      <Confirmation
        label="Remove"
        unseen={`: ${email}`}
        question={`${email} immediately loses access to this account and gets no more emails from it.`}
        action={link(`/members/${id}/remove`)}
        look="danger"
      >
        Remove {email}
      </Confirmation>
    </span>
  );
}

function InviteForm({ link, members, seats, email }: MembersProps): VNode {
  return (
    <Section title="Invite a member">
      {members.length >= seats ? (
        <p>
          You've reached your plan's member limit.{members.length > 1 && ' Remove a member first.'}{' '}
          <Upgrade label="Upgrade your plan">To upgrade, contact our support.</Upgrade>
        </p>
      ) : (
        <Form action={link('/members/invite')} button="Invite" look="primary">
          <TextField name="email" label="Email address" type="email" value={email ?? ''} required />
          <Select
            name="role"
            label="Role"
            value="member"
            hint="Members can manage artists and channels. Owners can also manage members, API keys and secrets, and see the audit log."
            options={{ member: 'Member', owner: 'Owner' }}
          />
        </Form>
      )}
    </Section>
  );
}
