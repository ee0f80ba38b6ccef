import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton, Confirmation } from '../../views/action.js';
import { Badge } from '../../views/badge.js';
import { Form, Select } from '../../views/form.js';
import { Instant } from '../../views/instant.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Table } from '../../views/table.js';
import { type MailsProps, mailsView } from './mails-view.js';
import type { SettingsRead } from './query.js';

interface SettingsProps extends MailsProps, Pick<Visit, 'member' | 'sessionId' | 'zone'> {
  readonly sessions: SettingsRead['sessions'];
  /** All that may be chosen. */
  readonly zones: readonly string[];
  readonly zoneError?: string | undefined;
}

export function settingsView({ member, zone, zones, zoneError, link, ...rest }: SettingsProps): VNode {
  return (
    <>
      <PageHead title="Settings">
        <p>Of {member.email} in this account; where you are signed in holds for all accounts.</p>
      </PageHead>
      <Section title="Time zone" id="zone">
        <Form action={link('/settings/zone')} button="Save">
          <Select
            name="zone"
            label="Your time zone"
            value={zone}
            options={zones.map((name) => ({ value: name, label: name.replaceAll('_', ' ') }))}
            error={zoneError}
            hint="Times on these pages and in your mails are in it, and the digest comes in its morning."
          />
        </Form>
      </Section>
      {mailsView({ ...rest, link })}
      <Sessions {...rest} link={link} />
    </>
  );
}

function Sessions({ sessionId, sessions, link }: Pick<SettingsProps, 'sessionId' | 'sessions' | 'link'>): VNode {
  return (
    <Section
      title="Where you are signed in"
      id="sessions"
      actions={
        <Confirmation
          label="Sign out everywhere …"
          question="All browsers are signed out, and this one with them."
          action={link('/settings/sessions/end-all')}
          look="danger"
        >
          Sign out everywhere
        </Confirmation>
      }
    >
      <Table
        caption="Browsers that are signed in"
        rows={sessions}
        columns={[
          { label: 'Browser', cell: ({ device }) => device },
          { label: 'Network address', cell: ({ clientAddress }) => clientAddress },
          { label: 'Signed in', cell: ({ createdAt }) => <Instant at={createdAt} /> },
          { label: 'Last used', cell: ({ lastSeenAt }) => <Instant at={lastSeenAt} /> },
          {
            label: 'Sign out',
            isAction: true,
            cell: ({ id, device }) =>
              id === sessionId ? (
                <Badge tone="good">this browser</Badge>
              ) : (
                <ActionButton action={link('/settings/sessions/end')} fields={{ session: id }}>
                  Sign out<span class="unseen"> {device}</span>
                </ActionButton>
              ),
          },
        ]}
      />
    </Section>
  );
}
