import type pg from 'pg';

/**
 * Returns the smallest id with `prefix` that could be created at or after `instant`. Ids start with their creation time
 * in milliseconds (packages/runtime/src/ids.ts, and `new_id` in the database), so a time range is a range of the
 * primary key.
 */
export function firstIdAt(prefix: string, instant: Date): string {
  return `${prefix}_${Math.max(0, instant.getTime()).toString(16).padStart(12, '0')}`;
}

/**
 * SQL that formats a timestamp for responses: UTC, milliseconds, `Z` (docs/reference/api.md). Null stays null.
 *
 * @param column SQL of a timestamptz.
 */
export function instantText(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * Wraps array parameters so that the statement keeps its generic plan (docs/adr/0003). PostgreSQL knows an array's
 * length only when it plans for given values. If that plan looks cheaper than the generic one, it replans on every
 * execution (https://www.postgresql.org/docs/current/sql-prepare.html). The length of a subquery's result is unknown to
 * both.
 *
 * @param parameters such as `$1::text[]`.
 */
export function anyLength(...parameters: readonly string[]): string {
  return parameters.map((parameter) => `(SELECT ${parameter})`).join(', ');
}

/**
 * Writes all rows in one statement; does nothing without rows.
 *
 * @param columns parameters of the statement, from `columnsOf`.
 */
export async function writeRows(client: pg.PoolClient, text: string, columns: unknown[][]): Promise<void> {
  if (columns[0]?.length) await client.query(text, columns);
}

/** Parameters of `unnest`: one list of values per field. */
export function columnsOf<Row, Field extends keyof Row>(rows: readonly Row[], ...fields: Field[]): Row[Field][][] {
  return fields.map((field) => rows.map((row) => row[field]));
}
