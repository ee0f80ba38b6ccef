import { type ComponentChildren, isValidElement } from 'preact';

/** A component here is a function of its props: it has no state, no context and no lifecycle. */
type Component = (props: object) => ComponentChildren;

const VOID_ELEMENTS = new Set(['br', 'hr', 'img', 'input', 'link', 'meta', 'wbr']);

/**
 * Writes views as HTML. preact-render-to-string does the same for whatever Preact can do, with an instance for each component
 * and a look at each attribute's spelling, and takes twice as long (docs/adr/0036). Every text and every attribute is
 * escaped; there is no way to write HTML as it is.
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
  // A value of the record is no element, whatever its properties say.
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

/** `aria-` and `data-` say "true" and "false", as does `spellcheck`; of others the name alone means true. */
function isEnumerated(name: string): boolean {
  return name[4] === '-' || name === 'spellcheck';
}

const ENTITIES: Readonly<Record<string, string>> = { '"': '&quot;', '&': '&amp;', '<': '&lt;' };

/**
 * What would end a text or an attribute, and characters that turn the direction of what follows: with them a name makes the
 * sentence around it read backwards (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing). Scripts from right
 * to left need none of them.
 */
const ESCAPED = /["&<\u202a-\u202e\u2066-\u2069]/;
const EACH_ESCAPED = new RegExp(ESCAPED, 'g');

function escaped(text: string): string {
  return ESCAPED.test(text) ? text.replace(EACH_ESCAPED, (sign) => ENTITIES[sign] ?? '') : text;
}

/** Who reads a page: what instants are written by. */
export interface Reader {
  /** IANA time zone. */
  readonly zone: string;
  /** What relative times count from; undefined writes exact ones. */
  readonly now: Date | undefined;
  /** The address of the file with all icons. */
  readonly icons: string;
}

let current: Reader = { zone: 'UTC', now: undefined, icons: '' };

/** Who reads what is being rendered, so that no view passes it on. */
export function currentReader(): Reader {
  return current;
}

/**
 * Renders a page or fragment for a reader. Rendering is synchronous, so there is one at a time; a context of Preact, asked
 * for by each instant and icon, took as long as everything else.
 */
export function renderFor(reader: Reader, render: () => string): string {
  current = reader;
  return render();
}
