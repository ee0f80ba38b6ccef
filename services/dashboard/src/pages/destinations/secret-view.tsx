import type { DestinationRecord } from '@artist-watch/persistence/destination/reads';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { CodeBlock, ShownOnce } from '../../views/copyable.js';
import { ActionButton, Confirmation } from '../../views/form.js';
import { Instant } from '../../views/instant.js';
import { Section } from '../../views/page-head.js';
import { destinationTitle } from '../../views/text.js';

export interface ReceiverCode {
  readonly language: string;
  readonly command: string;
  readonly code: string;
}

interface SecretProps extends Pick<Visit, 'link'> {
  readonly destination: DestinationRecord;
  readonly secret: string;
  /** True if the secret still has to be activated. A destination's first secret is used right away. */
  readonly isNext: boolean;
  readonly receivers: readonly ReceiverCode[];
}

export function secretView({ link, destination, secret, isNext, receivers }: SecretProps): VNode {
  const [title, name] = isNext ? ['New signing secret', 'New secret'] : ['Channel created', 'Signing secret'];
  const crumbs = [
    { label: 'Channels', href: link('/destinations') },
    { label: destinationTitle(destination), href: link(`/destinations/${destination.id}`) },
  ];
  return (
    <>
      <ShownOnce {...{ title, name, crumbs, secret }} copyLabel="Copy the secret">
        No one can see this secret again, including us. If you lose it, create a new one.{' '}
        {isNext
          ? "The new secret isn't active yet, and the current secret still signs requests. Let your receiver accept both secrets, then activate the new one."
          : 'The secret is active, and every request is signed with it. Add it to your receiver, then send a test.'}
      </ShownOnce>
      <Section title="Signature verification">
        <p>For developers: complete receivers without libraries. They read the secrets from SIGNING_SECRETS.</p>
        {receivers.map(({ language, command, code }) => (
          <details>
            <summary>{language}</summary>
            <CodeBlock label={`the command for ${language}`} code={command} />
            <CodeBlock label={`the receiver in ${language}`} code={code} />
          </details>
        ))}
      </Section>
    </>
  );
}

type RotationProps = Pick<DestinationRecord, 'signed' | 'nextSecretPending' | 'notices'> & {
  readonly action: (verb: string) => string;
  readonly isOwner: boolean;
};

/** Shows the three steps for replacing a secret without downtime. */
export function Rotation({ action, isOwner, signed, nextSecretPending, notices }: RotationProps): VNode {
  const newest = (kind: string) => notices.find((notice) => notice.kind === kind);
  const [made, activated] = [newest('secret_rotated'), newest('secret_activated')];
  return (
    <Section title="Replace the signing secret" id="secret">
      <p>Only necessary if someone else may know the current secret.</p>
      {!signed && <p>Requests aren't signed, so receivers can't verify the sender.</p>}
      {signed && activated && (
        <p>
          The current secret was activated <Instant at={activated.at} />.
        </p>
      )}
      {nextSecretPending && made && (
        <p>
          The new secret was created <Instant at={made.at} />. It isn't used for signing yet.
        </p>
      )}
      <div class="prose">
        <ol class="stack">
          <li aria-current={nextSecretPending ? undefined : 'step'}>
            Create a new secret. The current one keeps working.{' '}
            {isOwner && !nextSecretPending && <ActionButton action={action('rotate')}>Create new secret</ActionButton>}
          </li>
          <li aria-current={nextSecretPending ? 'step' : undefined}>
            Have your developers make every receiver accept both secrets. In our examples, set{' '}
            <code>SIGNING_SECRETS=current,new</code>.
          </li>
          <li>
            Activate the new secret. Then remove the old one from your receivers.{' '}
            {isOwner && nextSecretPending && (
              <span class="row">
                <ActionButton action={action('activate')}>Activate</ActionButton>
                <Confirmation
                  label="I lost the new secret"
                  question="We discard the new secret and create another one. Remove the discarded secret from your receivers."
                  action={action('rotate')}
                  fields={{ replaces: made?.id ?? '' }}
                >
                  Create another secret
                </Confirmation>
              </span>
            )}
          </li>
        </ol>
      </div>
      {!isOwner && <p class="soft">Only owners can take these steps.</p>}
    </Section>
  );
}
