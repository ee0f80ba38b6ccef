import type { ComponentChildren, VNode } from 'preact';
import { Icon } from './icon.js';
import { PageHead, Section } from './page-head.js';
import { Alert } from './states.js';

/** Longer than any UPC or ISRC. */
const LONG_CHARS = 24;

/** The copy button is only shown if scripts can run. */
export function Copyable({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }): VNode {
  return (
    <span class={text.length > LONG_CHARS ? 'copyable long' : 'copyable'}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </span>
  );
}

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
  /** Parent pages, outermost first. The button at the end of the page links to the innermost one. */
  readonly crumbs: ReadonlyArray<{ readonly label: string; readonly href: string }>;
  readonly name: string;
  readonly secret: string;
  readonly copyLabel: string;
  readonly children: ComponentChildren;
}

export function ShownOnce({ title, crumbs, name, secret, copyLabel, children }: ShownOnceProps): VNode {
  return (
    <>
      <PageHead title={title} crumbs={crumbs} />
      <Section title={name}>
        <Alert tone="warn" title="Copy it now: it's shown only once">
          <p>{children}</p>
        </Alert>
        <p>
          <span class="copyable long">
            <code>{secret}</code>
          </span>
        </p>
        <p class="row">
          <button type="button" class="primary" data-copy={secret} hidden>
            <Icon name="copy" />
            {copyLabel}
          </button>
          <a href={crumbs.at(-1)?.href ?? '/'}>Done</a>
        </p>
      </Section>
    </>
  );
}
