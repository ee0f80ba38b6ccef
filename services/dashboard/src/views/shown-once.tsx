import type { ComponentChildren, VNode } from 'preact';
import { Copyable } from './copyable.js';
import { PageHead, Section } from './page-head.js';
import { Alert } from './states.js';

interface ShownOnceProps {
  readonly title: string;
  /** The page that the button at the end leads to as well. */
  readonly crumb: { readonly label: string; readonly href: string };
  /** What the secret is called. */
  readonly name: string;
  readonly secret: string;
  readonly copyLabel: string;
  readonly backLabel: string;
  /** Who can do what with it, in a sentence or two. */
  readonly children: ComponentChildren;
}

/** The answer to the form that made a secret: a key, or an address that is one. No other page ever shows it. */
export function ShownOnce({ title, crumb, name, secret, copyLabel, backLabel, children }: ShownOnceProps): VNode {
  return (
    <>
      <PageHead title={title} crumbs={[crumb]} />
      <Section title={name}>
        <Alert tone="warn" title="Copy it now: it is shown this once">
          <p>{children}</p>
        </Alert>
        <p>
          <Copyable text={secret} label={copyLabel} />
        </p>
        <p>
          <a class="button" href={crumb.href}>
            {backLabel}
          </a>
        </p>
      </Section>
    </>
  );
}
