import type { DigestCadence } from '@artist-watch/domain/account/mail-preferences';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { Checkboxes, Form, type Option, Select } from '../../views/form.js';
import { Instant } from '../../views/instant.js';
import { Section } from '../../views/page-head.js';
import { Alert } from '../../views/states.js';
import type { SettingsRead } from './query.js';

export interface MailsProps extends Pick<Visit, 'link'>, Pick<SettingsRead, 'preferences' | 'refusal'> {
  readonly isOwner: boolean;
  readonly digestError?: string | undefined;
}

const CRITICAL: Option = { value: 'critical', label: 'Critical changes, a minute after the first of an artist' };
const DESTINATIONS: Option = { value: 'destinations', label: 'Destinations that fail or are switched off' };

const DIGESTS: ReadonlyArray<Option & { readonly value: DigestCadence }> = [
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Every Monday' },
  { value: 'never', label: 'Off' },
];

/** What the member gets mails of in this account; unsubscribing from a mail turns the same off. */
export function mailsView({ isOwner, link, preferences, refusal, digestError }: MailsProps): VNode {
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
          options={isOwner ? [CRITICAL, DESTINATIONS] : [CRITICAL]}
          hint="Mails about your sign-in and your account's keys are always sent."
        />
        <Select
          name="digest"
          label="Digest"
          value={preferences.digest}
          options={DIGESTS}
          error={digestError}
          hint="What changed, and how often your artists were read, also when nothing did: in the morning of your time zone."
        />
      </Form>
    </Section>
  );
}
