import { type ComponentChildren, isValidElement } from 'preact';

/** A component is a function of its props, without state, context or lifecycle. */
type Component = (props: object) => ComponentChildren;

const VOID_ELEMENTS = new Set(['br', 'hr', 'img', 'input', 'link', 'meta']);

/**
 * Renders views as HTML in half the time that preact-render-to-string takes (docs/adr/0036). Escapes all text and
 * attributes.
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
  // JSON values from the database can have the same properties as an element, but must not be rendered as one.
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
 * `aria-…`, `data-…` and `spellcheck` require the value "true" or "false". For all other boolean attributes, the name
 * alone means true.
 */
function isEnumerated(name: string): boolean {
  return name[4] === '-' || name === 'spellcheck';
}

const ENTITIES: Readonly<Record<string, string>> = { '"': '&quot;', '&': '&amp;', '<': '&lt;' };

/**
 * Directional control characters are removed, because a name that contains them could reverse the text around it
 * (https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing).
 */
const ESCAPED = /["&<\u202a-\u202e\u2066-\u2069]/;
const EACH_ESCAPED = new RegExp(ESCAPED, 'g');

function escaped(text: string): string {
  return ESCAPED.test(text) ? text.replace(EACH_ESCAPED, (sign) => ENTITIES[sign] ?? '') : text;
}

export interface Reader {
  /** IANA time zone. */
  readonly zone: string;
  /** If undefined, exact times are shown instead of relative ones. */
  readonly now: Date | undefined;
  readonly icons: string;
  readonly platformName: string;
  /** UPGRADE_URL */
  readonly upgradeUrl?: string | undefined;
}

let current: Reader = { zone: 'UTC', now: undefined, icons: '', platformName: '' };

export function currentReader(): Reader {
  return current;
}

/**
 * The reader can be global because rendering is synchronous. Using a Preact context took as long as the rest of the
 * rendering combined.
 */
export function renderFor(reader: Reader, render: () => string): string {
  current = reader;
  return render();
}
