import { type ComponentChildren, isValidElement } from 'preact';

/** A component of the dashboard is a function of its props. It has no state, no context and no lifecycle. */
type Component = (props: object) => ComponentChildren;

const VOID_ELEMENTS = new Set(['br', 'hr', 'img', 'input', 'link', 'meta', 'wbr']);

/**
 * Renders views as HTML. preact-render-to-string takes twice as long, because it supports all of Preact: it creates an
 * instance for each component and checks the spelling of each attribute (docs/adr/0036). Every text and attribute is
 * escaped, and raw HTML is not possible.
 */
export function markup(node: ComponentChildren): string {
  if (typeof node === 'string') return escaped(node);
  if (node === null || typeof node !== 'object') {
    return typeof node === 'number' || typeof node === 'bigint' ? String(node) : '';
  }
  if (Array.isArray(node)) {
    let html = '';
    for (const child of node) html += markup(child);
    return html;
  }
  // A stored JSON value can have the same properties as an element. It must not be rendered.
  if (!isValidElement(node)) return '';
  const { type, props } = node;
  return typeof type === 'function' ? markup((type as Component)(props)) : element(type, props);
}

function element(type: string, props: Readonly<Record<string, unknown>>): string {
  let html = `<${type}`;
  for (const name in props) {
    if (name !== 'children') html += attribute(name, props[name]);
  }
  const content = markup(props.children as ComponentChildren);
  return content === '' && VOID_ELEMENTS.has(type) ? `${html}/>` : `${html}>${content}</${type}>`;
}

function attribute(name: string, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'boolean' && !isEnumerated(name)) return value ? ` ${name}` : '';
  return value === '' ? ` ${name}` : ` ${name}="${escaped(String(value))}"`;
}

/**
 * True for `aria-…`, `data-…` and `spellcheck`, which need the value "true" or "false". For other attributes, the name
 * alone means true.
 */
function isEnumerated(name: string): boolean {
  return name[4] === '-' || name === 'spellcheck';
}

const ENTITIES: Readonly<Record<string, string>> = { '"': '&quot;', '&': '&amp;', '<': '&lt;' };

/**
 * Matches characters that end a text or an attribute, and directional control characters. With these, a name could
 * reverse the sentence around it (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing). Right-to-left
 * scripts do not need them.
 */
const ESCAPED = /["&<\u202a-\u202e\u2066-\u2069]/;
const EACH_ESCAPED = new RegExp(ESCAPED, 'g');

function escaped(text: string): string {
  return ESCAPED.test(text) ? text.replace(EACH_ESCAPED, (sign) => ENTITIES[sign] ?? '') : text;
}

/** Settings of the reader that views use. */
export interface Reader {
  /** IANA time zone. */
  readonly zone: string;
  /** The time that relative times refer to. If undefined, exact times are shown. */
  readonly now: Date | undefined;
  /** The URL of the file with all icons. */
  readonly icons: string;
  /** The name of the platform that this installation watches, such as Deezer. */
  readonly platformName: string;
}

let current: Reader = { zone: 'UTC', now: undefined, icons: '', platformName: '' };

/** Returns the reader for whom views are being rendered, so that views need not pass it on. */
export function currentReader(): Reader {
  return current;
}

/**
 * Renders a page or fragment for a reader. The reader can be global, because rendering is synchronous and only one runs
 * at a time. A Preact context, which every time and icon would read, took as long as all other rendering together.
 */
export function renderFor(reader: Reader, render: () => string): string {
  current = reader;
  return render();
}
