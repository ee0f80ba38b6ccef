import type { MemberId } from '@artist-watch/domain/ids';
import type { MemberRecord } from '@artist-watch/persistence/account/members';
import type { RefusedMail } from '@artist-watch/persistence/mail/preferences';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton, Confirmation } from '../../views/action.js';
import { Badge, StateBadge } from '../../views/badge.js';
import { Form, Select, TextField } from '../../views/form.js';
import { Meter, PageHead, Section } from '../../views/page-head.js';
import { Alert } from '../../views/states.js';
import { Table } from '../../views/table.js';

interface MembersProps extends Pick<Visit, 'link'> {
  readonly you: Visit['member'];
  readonly members: readonly MemberRecord[];
  /** What the mail server said to the last mail to a member, where it has not taken it. */
  readonly refused: ReadonlyMap<MemberId, RefusedMail>;
  readonly seats: number;
  readonly problem: string | undefined;
  /** As it was typed, where nobody was invited by it. */
  readonly email: string | undefined;
}

export function membersView({ you, link, members, refused, seats, problem, email: typed }: MembersProps): VNode {
  const mayChange = you.role === 'owner';
  const isFull = members.length >= seats;
  const owners = members.filter(({ role }) => role === 'owner').length;
  return (
    <>
      <PageHead title="Members">
        <p>Who reads this account, and gets its mails. Each has a seat.</p>
      </PageHead>
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      <Section title="Seats">
        <Meter label="Seats of the plan" value={members.length} max={seats} />
        <Table
          caption="Members"
          isTerse
          rows={members}
          columns={[
            {
              label: 'Address',
              cell: ({ id, email }) => (
                <span class="row">
                  {email}
                  {id === you.id && <Badge tone="info">you</Badge>}
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
                      Its last mail was refused{refused.get(id)?.isFinal ? '' : ', and is tried again'}:{' '}
                      {refused.get(id)?.error}
                    </p>
                  )}
                </>
              ),
            },
            ...(mayChange
              ? [
                  {
                    label: 'Change',
                    isAction: true,
                    cell: (member: MemberRecord) =>
                      member.role === 'owner' && owners === 1 ? (
                        <span class="soft">the only owner</span>
                      ) : (
                        <MemberActions member={member} link={link} />
                      ),
                  },
                ]
              : []),
          ]}
        />
      </Section>
      {mayChange && <InviteForm link={link} isFull={isFull} email={typed} />}
    </>
  );
}

interface MemberActionsProps {
  readonly member: MemberRecord;
  readonly link: MembersProps['link'];
}

function MemberActions({ member: { id, email, role }, link }: MemberActionsProps): VNode {
  const other = role === 'owner' ? 'member' : 'owner';
  return (
    <span class="row">
      <ActionButton action={link(`/members/${id}/role`)} fields={{ role: other }}>
        Make {other}
        <span class="unseen">: {email}</span>
      </ActionButton>
      <Confirmation
        label="Remove"
        unseen={`: ${email}`}
        question={`${email} is out of this account at the next click, gets no more mails of it, and leaves the seat free.`}
        action={link(`/members/${id}/remove`)}
        look="danger"
      >
        Remove {email}
      </Confirmation>
    </span>
  );
}

interface InviteFormProps {
  readonly link: MembersProps['link'];
  readonly isFull: boolean;
  readonly email?: string | undefined;
}

function InviteForm({ link, isFull, email }: InviteFormProps): VNode {
  return (
    <Section title="Invite somebody">
      {isFull && (
        <p>
          All seats of the plan are taken. Remove a member first, or ask whoever manages your contract for a larger
          plan.
        </p>
      )}
      <Form action={link('/members/invite')} button="Invite" look="primary">
        <TextField name="email" label="Mail address" type="email" value={email ?? ''} required />
        <Select
          name="role"
          label="Role"
          value="member"
          hint="A member reads everything, and manages artists and destinations. An owner also manages members, API keys and secrets."
          options={{ member: 'Member', owner: 'Owner' }}
        />
      </Form>
    </Section>
  );
}
