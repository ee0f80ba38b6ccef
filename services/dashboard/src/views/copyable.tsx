import type { ComponentChildren, VNode } from 'preact';
import { Icon } from './icon.js';
import { PageHead, Section } from './page-head.js';
import { Alert } from './states.js';

/** Longer than a number or a code of the trade: it has a line for itself. */
const LONG_CHARS = 24;

/** A short text that somebody will want elsewhere: an id, an address, a key. The button appears where scripts run. */
export function Copyable({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }): VNode {
  return (
    <span class={text.length > LONG_CHARS ? 'copyable long' : 'copyable'}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

/** Lines of code or of an answer, as they are. */
export function CodeBlock({ code, label }: { readonly code: string; readonly label: string }): VNode {
  return (
    <div class="code-block">
      <pre>
        <code>{code}</code>
      </pre>
      <CopyButton text={code} label={`Copy ${label}`} />
    </div>
  );
}

function CopyButton({ text, label }: { readonly text: string; readonly label: string }): VNode {
  return (
    <button type="button" class="copy" data-copy={text} aria-label={label} title={label} hidden>
      <Icon name="copy" />
    </button>
  );
}

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
