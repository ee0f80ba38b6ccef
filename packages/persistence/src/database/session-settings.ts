import type pg from 'pg';

/** What a session starts with, by name, as pg_settings has it: durations in milliseconds. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/** For the driver's `options`. */
export function asOptions(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Without those that the address sets itself, in its `options` or as a parameter of its own. */
export function notSetBy(address: string, settings: SessionSettings): SessionSettings {
  // PostgreSQL takes `--random-page-cost` for `-c random_page_cost`, and capitals for small letters.
  const said = address.toLowerCase().replaceAll('-', '_');
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !said.includes(name.toLowerCase())));
}

/** Those that a session has otherwise than it asked for: `statement_timeout is 0 in place of 30000`. */
export async function straySettings(pool: pg.Pool, asked: SessionSettings): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    'SELECT name, setting FROM pg_settings WHERE name = ANY($1)',
    [Object.keys(asked)],
  );
  return rows
    .filter(({ name, setting }) => setting !== String(asked[name]))
    .map(({ name, setting }) => `${name} is ${setting} in place of ${asked[name]}`)
    .sort();
}
