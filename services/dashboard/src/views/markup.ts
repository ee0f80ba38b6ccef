import { type ComponentChildren, isValidElement } from 'preact';

/** A component here is a function of its props: it has no state, no context and no lifecycle. */
type Component = (props: object) => ComponentChildren;

const VOID_ELEMENTS = new Set(['br', 'hr', 'img', 'input', 'link', 'meta', 'wbr']);

/**
 * Renders views as HTML. preact-render-to-string takes twice as long, because it supports all of Preact, with an instance for
 * each component and a check of each attribute's spelling (docs/adr/0036). Every text and attribute is escaped; raw HTML is
 * not possible.
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
  // A stored JSON value is not an element, even if its properties look like one.
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

/** `aria-…`, `data-…` and `spellcheck` need "true" or "false"; for other attributes the name alone means true. */
function isEnumerated(name: string): boolean {
  return name[4] === '-' || name === 'spellcheck';
}

const ENTITIES: Readonly<Record<string, string>> = { '"': '&quot;', '&': '&amp;', '<': '&lt;' };

/**
 * Characters that end a text or an attribute, and directional controls, with which a name could reverse the sentence around
 * it (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing). Right-to-left scripts need none of these controls.
 */
const ESCAPED = /["&<\u202a-\u202e\u2066-\u2069]/;
const EACH_ESCAPED = new RegExp(ESCAPED, 'g');

function escaped(text: string): string {
  return ESCAPED.test(text) ? text.replace(EACH_ESCAPED, (sign) => ENTITIES[sign] ?? '') : text;
}

/** The reader's settings that views use. */
export interface Reader {
  /** IANA time zone. */
  readonly zone: string;
  /** Start of relative times; undefined writes exact times. */
  readonly now: Date | undefined;
  /** URL of the file with all icons. */
  readonly icons: string;
  /** The platform of this installation: Deezer. */
  readonly platformName: string;
}

let current: Reader = { zone: 'UTC', now: undefined, icons: '', platformName: '' };

/** The reader of the current rendering, so that views need not pass it on. */
export function currentReader(): Reader {
  return current;
}

/**
 * Renders a page or fragment for a reader. Rendering is synchronous, so only one runs at a time. A Preact context, read by
 * each instant and icon, took as long as all other rendering together.
 */
export function renderFor(reader: Reader, render: () => string): string {
  current = reader;
  return render();
}
