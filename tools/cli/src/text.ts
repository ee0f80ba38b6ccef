export type Shown = Readonly<Record<string, unknown>>;

/** Replaces control characters, so that untrusted text can't control the terminal. */
export function renderFields(value: Shown, indent = ''): string {
  const width = Math.max(...Object.keys(value).map((name) => name.length));
  return Object.entries(value)
    .map(([name, field]) => {
      if (isListOfObjects(field)) return [`${indent}${name}`, ...renderItems(field, `${indent}  `)].join('\n');
      if (isObject(field)) return `${indent}${name}\n${renderFields(field, `${indent}  `)}`;
      return `${indent}${name.padEnd(width)}  ${cell(field)}`;
    })
    .join('\n');
}

export function columnWidths(rows: readonly Shown[]): ReadonlyMap<string, number> {
  const names = Object.keys(rows[0] ?? {});
  return new Map(names.map((name) => [name, Math.max(name.length, ...rows.map((row) => tableCell(row[name]).length))]));
}

export function renderRow(row: Shown, widths: ReadonlyMap<string, number>): string {
  return [...widths]
    .map(([name, width]) => tableCell(row[name]).padEnd(width))
    .join('  ')
    .trimEnd();
}

function renderItems(items: readonly Shown[], indent: string): string[] {
  return items.map((item) => `${indent}-\n${renderFields(item, `${indent}  `)}`);
}

function tableCell(value: unknown): string {
  return isListOfObjects(value) ? String(value.length) : cell(value);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ');
  if (isObject(value)) {
    return Object.entries(value)
      .map(([name, field]) => `${name}=${cell(field)}`)
      .join(' ');
  }
  return String(value).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

function isObject(value: unknown): value is Shown {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOfObjects(value: unknown): value is readonly Shown[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}
