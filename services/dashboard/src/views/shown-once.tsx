import type { ComponentChildren, VNode } from 'preact';
import { Copyable } from './copyable.js';
import { PageHead, Section } from './page-head.js';
import { Alert } from './states.js';

interface ShownOnceProps {
  readonly title: string;
  /** The pages above it, the highest first; the button at the end leads to the last one as well. */
  readonly crumbs: ReadonlyArray<{ readonly label: string; readonly href: string }>;
  /** What the secret is called. */
  readonly name: string;
  readonly secret: string;
  readonly copyLabel: string;
  /** `I have it` unless given. */
  readonly backLabel?: string;
  /** Who can do what with it, in a sentence or two. */
  readonly children: ComponentChildren;
}

/** The answer to the form that made a secret: a key, or an address that is one. No other page ever shows it. */
export function ShownOnce(props: ShownOnceProps): VNode {
  const { title, crumbs, name, secret, copyLabel, backLabel = 'I have it', children } = props;
  return (
    <>
      <PageHead title={title} crumbs={crumbs} />
      <Section title={name}>
        <Alert tone="warn" title="Copy it now: it is shown this once">
          <p>{children}</p>
        </Alert>
        <p>
          <Copyable text={secret} label={copyLabel} />
        </p>
        <p>
          <a class="button" href={crumbs.at(-1)?.href ?? '/'}>
            {backLabel}
          </a>
        </p>
      </Section>
    </>
  );
}
