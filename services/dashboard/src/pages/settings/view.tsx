import type { DigestCadence, MailList } from '@artist-watch/domain/account/mail-preferences';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton, Checkboxes, Confirmation, Form, optionsOf, Select } from '../../views/form.js';
import { Badge } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';
import { PageHead, Section } from '../../views/page-head.js';
import { RulesFields, shownRules } from '../../views/rules-fields.js';
import { Alert } from '../../views/states.js';
import { Table } from '../../views/table.js';
import type { SettingsRead } from './query.js';

interface MailsProps extends Pick<Visit, 'link'>, Pick<SettingsRead, 'preferences' | 'refusal' | 'artists' | 'groups'> {
  readonly rulesError?: string | undefined;
  readonly isOwner: boolean;
  readonly digestError?: string | undefined;
}

const CHANGES = { critical: 'Changes (we wait 1 minute and send one email per artist)' };
const DESTINATIONS = { destinations: 'Channels that fail or are switched off' };
const DIGESTS: Readonly<Record<DigestCadence, string>> = { daily: 'Every day', weekly: 'Every Monday', never: 'Off' };

interface SettingsProps extends MailsProps, Pick<Visit, 'member' | 'sessionId' | 'zone'> {
  readonly sessions: SettingsRead['sessions'];
  readonly zones: readonly string[];
  readonly zoneError?: string | undefined;
}

export function settingsView({ member, zone, zones, zoneError, link, ...rest }: SettingsProps): VNode {
  return (
    <>
      <PageHead title="Settings">
        <p>
          Settings for {member.email} in this account. To change your email address, have an owner invite the new one
          under <a href={link('/members')}>Members</a> and remove the old one.
        </p>
      </PageHead>
      <Section title="Time zone" id="zone">
        <Form action={link('/settings/zone')} button="Save" look="primary">
          <Select
            name="zone"
            label="Your time zone"
            value={zone}
            options={optionsOf(zones, (name) => name.replaceAll('_', ' '))}
            error={zoneError}
            hint="Pages and emails show times in this zone. The digest arrives shortly after 8:00."
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
      title="Signed-in browsers, in all your accounts"
      id="sessions"
      actions={
        <Confirmation
          label="Sign out everywhere"
          question="This signs out all browsers, including this one."
          action={link('/settings/sessions/end-all')}
          look="danger"
        />
      }
    >
      <Table
        caption="Signed-in browsers"
        rows={sessions}
        columns={[
          { label: 'Browser', cell: ({ device }) => device.replace(/^an u/, 'U') },
          { label: 'IP address', cell: ({ clientAddress }) => clientAddress },
          { label: 'Signed in', cell: ({ createdAt }) => <Instant at={createdAt} /> },
          { label: 'Last used', cell: ({ lastSeenAt }) => <Instant at={lastSeenAt} /> },
          {
            label: 'Sign out',
            isAction: true,
            cell: ({ id, device }) =>
              id === sessionId ? (
                <Badge tone="quiet">This browser</Badge>
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

function Mails({ isOwner, link, preferences, refusal, digestError, rulesError, artists, groups }: MailsProps): VNode {
  const errors = rulesError === undefined ? {} : { min_severity: rulesError };
  const common = { errors, artists, groups };
  const values = (['critical', 'destinations'] as const).filter((list) => preferences[list]);
  return (
    <Section title="Emails" id="mails">
      {refusal && (
        <Alert tone="bad" title={`The last email to you was rejected${refusal.isFinal ? '' : ". We're trying again"}`}>
          <p>
            <Instant at={refusal.at} />: {refusal.error}
          </p>
        </Alert>
      )}
      <Form action={link('/settings/mails')} button="Save" look="primary">
        <Checkboxes
          name="mails"
          label="Alerts"
          values={values}
          options={isOwner ? { ...CHANGES, ...DESTINATIONS } : CHANGES}
          hint="Emails about sign-ins, API keys, members, share links, feeds and channel settings are always sent."
        />
        <fieldset class="field">
          <legend>Changes in alerts</legend>
          <RulesFields typed={shownRules(preferences.rules)} {...common} what="are emailed" prefix="mail_" />
        </fieldset>
        <Select
          name="digest"
          label="Digest"
          value={preferences.digest}
          options={DIGESTS}
          error={digestError}
          hint="Lists changes and how often we checked your artists. We send it even if nothing changed."
        />
        <fieldset class="field">
          <legend>Changes in the digest</legend>
          <RulesFields typed={shownRules(preferences.digestRules)} {...common} what="are listed" prefix="digest_" />
        </fieldset>
      </Form>
    </Section>
  );
}

export const MAIL_LIST_NAMES: Readonly<Record<MailList, string>> = {
  critical: 'emails about changes',
  destinations: 'emails about failing channels',
  digest: 'digests',
};

export function unsubscribeView({ list }: { readonly list: MailList }): VNode {
  return (
    <section class="sign-in">
      <h1>Unsubscribe from {MAIL_LIST_NAMES[list]}?</h1>
      <ActionButton look="primary">Unsubscribe</ActionButton>
    </section>
  );
}
