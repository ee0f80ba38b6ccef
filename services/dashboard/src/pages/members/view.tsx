import type { MemberRole } from '@artist-watch/domain/account/role';
import type { MemberId } from '@artist-watch/domain/ids';
import type { VNode } from 'preact';

interface MembersProps {
  readonly you: { readonly id: MemberId; readonly role: MemberRole };
  readonly link: (path: string) => string;
  readonly members: ReadonlyArray<{
    readonly id: MemberId;
    readonly email: string;
    readonly role: MemberRole;
    readonly joinedAt: Date | null;
  }>;
  /** What the mail server said to the last mail to a member, where it will never take it. */
  readonly refused: ReadonlyMap<MemberId, { readonly error: string; readonly isFinal: boolean }>;
  readonly seats: number;
  readonly problem: { readonly email?: string; readonly text: string } | undefined;
}

export function membersView({ you, link, members, refused, seats, problem }: MembersProps): VNode {
  const mayChange = you.role === 'owner';
  return (
    <>
      <h1>Members</h1>
      <p>
        {members.length} of {seats} {seats === 1 ? 'seat' : 'seats'} taken.
      </p>
      {problem && (
        <p id="problem" class="problem" role="alert">
          {problem.text}
        </p>
      )}
      <table class="members">
        <thead>
          <tr>
            <th scope="col">Address</th>
            <th scope="col">Role</th>
            <th scope="col">State</th>
            {mayChange && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr>
              <td>
                {member.email} {member.id === you.id && <strong>you</strong>}
              </td>
              <td>{member.role}</td>
              <td>
                {member.joinedAt === null ? 'invited' : 'active'}
                {refused.has(member.id) && (
                  <p class="problem">
                    Its last mail was refused{refused.get(member.id)?.isFinal ? '' : ', and is tried again'}:{' '}
                    {refused.get(member.id)?.error}
                  </p>
                )}
              </td>
              {mayChange && (
                <td>
                  <MemberActions member={member} link={link} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {mayChange && <InviteForm link={link} isFull={members.length >= seats} email={problem?.email} />}
    </>
  );
}

function MemberActions({
  member: { id, email, role },
  link,
}: {
  member: MembersProps['members'][number];
  link: MembersProps['link'];
}): VNode {
  const other = role === 'owner' ? 'member' : 'owner';
  return (
    <>
      <form method="post" action={link(`/members/${id}/role`)}>
        <input type="hidden" name="role" value={other} />
        <button type="submit" aria-label={`Make ${email} ${other === 'owner' ? 'an owner' : 'a member'}`}>
          Make {other}
        </button>
      </form>
      <form method="post" action={link(`/members/${id}/remove`)}>
        <button type="submit" aria-label={`Remove ${email}`}>
          Remove
        </button>
      </form>
    </>
  );
}

function InviteForm({
  link,
  isFull,
  email,
}: {
  link: MembersProps['link'];
  isFull: boolean;
  email?: string | undefined;
}): VNode {
  return (
    <section>
      <h2>Invite somebody</h2>
      {isFull && <p>All seats of the plan are taken. Remove a member first, or choose a larger plan.</p>}
      <form method="post" action={link('/members/invite')}>
        <label for="email">Mail address</label>
        <input id="email" name="email" type="email" required value={email} />
        <label for="role">Role</label>
        <select id="role" name="role">
          <option value="member">Member: reads everything, manages artists and destinations</option>
          <option value="owner">Owner: also manages members, keys and secrets</option>
        </select>
        <button type="submit">Invite</button>
      </form>
    </section>
  );
}
