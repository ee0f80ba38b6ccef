/** promtool checks the syntax, so this only finds names and label matchers. */
export interface Selector {
  readonly name: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
}

const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'by', 'without', 'on', 'ignoring']);

const TEXT = /"(?:[^"\\]|\\.)*"/.source;
/** Captures the labels of a clause such as `by (a, b)`. */
const GROUPING = /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g;
const SELECTOR = new RegExp(
  `(?<![\\w:.])([a-zA-Z_:][\\w:]*)(?![\\w:])(?!\\s*\\()(?:\\s*\\{((?:[^"}]|${TEXT})*)\\})?`,
  'g',
);
const MATCHER = new RegExp(`(\\w+)\\s*(=~|!~|!=|=)\\s*(${TEXT})`, 'g');

/** Includes range selectors. */
export function selectorsIn(expression: string): Selector[] {
  return [...expression.replace(GROUPING, '').matchAll(SELECTOR)].flatMap(([, name = '', matchers = '']) => {
    if (KEYWORDS.has(name)) return [];
    const read = [...matchers.matchAll(MATCHER)].map(([, label = '', operator = '', value = '']) => ({
      label,
      operator,
      value: JSON.parse(value) as string,
    }));
    return [{ name, matchers: read }];
  });
}

export function groupingLabelsIn(expression: string): string[] {
  return [...expression.matchAll(GROUPING)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );
}
