import type { VNode } from 'preact';
import { Icon } from './icon.js';

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
