import type { DigestCadence, MailList } from '@artist-watch/domain/account/mail-preferences';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton, Confirmation } from '../../views/action.js';
import { Badge } from '../../views/badge.js';
import { Checkboxes, Form, optionsOf, Select } from '../../views/form.js';
import { Instant } from '../../views/instant.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Alert } from '../../views/states.js';
import { Table } from '../../views/table.js';
import type { SettingsRead } from './query.js';

interface MailsProps extends Pick<Visit, 'link'>, Pick<SettingsRead, 'preferences' | 'refusal'> {
  readonly isOwner: boolean;
  readonly digestError?: string | undefined;
}

const CRITICAL = { critical: 'Critical changes: one mail for each artist, a minute after the first change' };
const DESTINATIONS = { destinations: 'Destinations that fail or are switched off' };
const DIGESTS: Readonly<Record<DigestCadence, string>> = { daily: 'Every day', weekly: 'Every Monday', never: 'Off' };

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
        <p>
          For {member.email} in this account; “Where you are signed in” is about all of your accounts. Another address
          is another seat: an owner invites it on the page <a href={link('/members')}>Members</a>, and removes this one
          then.
        </p>
      </PageHead>
      <Section title="Time zone" id="zone">
        <Form action={link('/settings/zone')} button="Save">
          <Select
            name="zone"
            label="Your time zone"
            value={zone}
            options={optionsOf(zones, (name) => name.replaceAll('_', ' '))}
            error={zoneError}
            hint="Pages and mails show times in it, and the digest comes just after 8 in the morning there."
          />
        </Form>
      </Section>
      <Mails {...rest} link={link} />
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
          label="Sign out everywhere"
          question="All browsers are signed out, and this one with them."
          action={link('/settings/sessions/end-all')}
          look="danger"
        />
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

/** What the member gets mails of in this account; unsubscribing from a mail turns the same off. */
function Mails({ isOwner, link, preferences, refusal, digestError }: MailsProps): VNode {
  const values = (['critical', 'destinations'] as const).filter((list) => preferences[list]);
  return (
    <Section title="Mails" id="mails">
      {refusal && (
        <Alert tone="bad" title={`The last mail to you was refused${refusal.isFinal ? '' : ', and is tried again'}`}>
          <p>
            <Instant at={refusal.at} />: {refusal.error}
          </p>
        </Alert>
      )}
      <Form action={link('/settings/mails')} button="Save">
        <Checkboxes
          name="mails"
          label="At once"
          values={values}
          options={isOwner ? { ...CRITICAL, ...DESTINATIONS } : CRITICAL}
          hint="Mails about your sign-in and your account's API keys are always sent."
        />
        <Select
          name="digest"
          label="Digest"
          value={preferences.digest}
          options={DIGESTS}
          error={digestError}
          hint="What changed, and how often your artists were read. It comes in the morning, also when nothing changed."
        />
      </Form>
    </Section>
  );
}

const MAIL_LIST_NAMES: Readonly<Record<MailList, string>> = {
  critical: 'mails about critical changes',
  destinations: 'mails about destinations that fail',
  digest: 'digests',
};

export function unsubscribeView({ list }: { readonly list: MailList }): VNode {
  return (
    <section class="sign-in">
      <h1>No more {MAIL_LIST_NAMES[list]}?</h1>
      <ActionButton look="primary">Send me no more {MAIL_LIST_NAMES[list]}</ActionButton>
    </section>
  );
}

export function unsubscribedView({ list }: { readonly list: MailList }): VNode {
  return (
    <section class="sign-in">
      <h1>No more {MAIL_LIST_NAMES[list]}</h1>
      <p>You get no more of them. In the settings of the dashboard you can ask for them again.</p>
    </section>
  );
}

export function unknownLinkView(): VNode {
  return (
    <section class="sign-in">
      <h1>This link is not known</h1>
      <p>It may have been cut. What you get mails of is in the settings of the dashboard.</p>
    </section>
  );
}
