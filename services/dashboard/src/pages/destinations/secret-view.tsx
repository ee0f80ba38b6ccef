import type { DestinationRecord } from '@artist-watch/persistence/destination/record';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton, Confirmation } from '../../views/action.js';
import { Badge } from '../../views/badge.js';
import { CodeBlock, ShownOnce } from '../../views/copyable.js';
import { Instant } from '../../views/instant.js';
import { Section } from '../../views/page-head.js';
import { destinationTitle } from '../../views/text.js';

/** A whole receiver in one language. */
export interface ReceiverCode {
  readonly language: string;
  readonly command: string;
  readonly code: string;
}

interface SecretProps extends Pick<Visit, 'link'> {
  readonly destination: DestinationRecord;
  readonly secret: string;
  /** The first one is in force at once; a next one waits to be put in force. */
  readonly isNext: boolean;
  readonly receivers: readonly ReceiverCode[];
}

/** A secret, the one time that it is shown. */
export function secretView({ link, destination, secret, isNext, receivers }: SecretProps): VNode {
  const [title, name] = isNext
    ? ['The next signing secret', 'Next secret']
    : ['The destination is made', 'Signing secret'];
  const crumbs = [
    { label: 'Destinations', href: link('/destinations') },
    { label: destinationTitle(destination), href: link(`/destinations/${destination.id}`) },
  ];
  return (
    <>
      <ShownOnce {...{ title, name, crumbs, secret }} copyLabel="Copy the secret" backLabel="I have kept it">
        Nobody can read it again, and neither can we. If it gets lost, make a next one.{' '}
        {isNext
          ? 'It is not in force yet: requests are still signed with the present one. Let your receiver accept both, then put the next one in force.'
          : 'It is in force: every request is signed with it. Give it to your receiver, then send a test.'}
      </ShownOnce>
      <Section title="Checking the signature">
        <p>Whole receivers, without a dependency. Each takes the secrets that it accepts from SIGNING_SECRETS.</p>
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

/** A new secret without a gap, in three steps, with which secret is in force. */
export function Rotation({ action, isOwner, signed, nextSecretPending, notices }: RotationProps): VNode {
  const [made, activated] = ['secret_rotated', 'secret_activated'].map((kind) =>
    notices.find((notice) => notice.kind === kind),
  );
  return (
    <Section title="Signing secret" id="secret">
      <ul class="stack">
        <li>
          {signed ? <Badge tone="good">in force</Badge> : <Badge tone="warn">none</Badge>}{' '}
          {signed ? 'The present secret' : 'Requests are not signed: receivers cannot tell who sent them'}
          {signed && activated && (
            <>
              , since <Instant at={activated.at} />
            </>
          )}
        </li>
        {nextSecretPending && (
          <li>
            <Badge tone="info">waits</Badge> The next secret
            {made && (
              <>
                , made <Instant at={made.at} />
              </>
            )}
            : nothing is signed with it yet
          </li>
        )}
      </ul>
      <div class="prose">
        <ol class="stack">
          <li aria-current={nextSecretPending ? undefined : 'step'}>
            Make a next secret. The present one stays in force.{' '}
            {isOwner && !nextSecretPending && <ActionButton action={action('rotate')}>Make a next secret</ActionButton>}
          </li>
          <li aria-current={nextSecretPending ? 'step' : undefined}>
            Let your receiver accept both, everywhere: <code>SIGNING_SECRETS=present,next</code> in our examples.
          </li>
          <li>
            Put the next one in force. From then on the present one can be forgotten.{' '}
            {isOwner && nextSecretPending && (
              <span class="row">
                <ActionButton action={action('activate')}>Put it in force</ActionButton>
                <Confirmation
                  label="Lost it"
                  question="The next secret is discarded, and another one is made. A receiver that has learned it must forget it."
                  action={action('rotate')}
                  fields={{ replaces: made?.id ?? '' }}
                >
                  Make another next secret
                </Confirmation>
              </span>
            )}
          </li>
        </ol>
      </div>
      {!isOwner && <p class="soft">An owner of the account does these steps.</p>}
    </Section>
  );
}
