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
 * Builds the SQL that formats a timestamp for responses: in UTC, with milliseconds and `Z` (docs/reference/api.md).
 * Null stays null.
 *
 * @param column SQL expression of the type timestamptz.
 */
export function instantText(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * Wraps array parameters so that the statement keeps its generic plan (docs/adr/0003). When PostgreSQL plans for
 * specific values, it knows the length of an array parameter, and in a generic plan it does not. If the specific plan
 * looks cheaper, PostgreSQL replans on every execution (https://www.postgresql.org/docs/current/sql-prepare.html). The
 * length of a subquery's result is unknown in both cases, so the generic plan is used.
 *
 * @param parameters SQL expressions for the parameters, such as `$1::text[]`.
 */
export function anyLength(...parameters: readonly string[]): string {
  return parameters.map((parameter) => `(SELECT ${parameter})`).join(', ');
}

/**
 * Writes all rows in one statement. Does nothing if there are no rows.
 *
 * @param columns the parameters of the statement, built by `columnsOf`.
 */
export async function writeRows(client: pg.PoolClient, text: string, columns: unknown[][]): Promise<void> {
  if (columns[0]?.length) await client.query(text, columns);
}

/** Returns the parameters for `unnest`: one list of values per field. */
export function columnsOf<Row, Field extends keyof Row>(rows: readonly Row[], ...fields: Field[]): Row[Field][][] {
  return fields.map((field) => rows.map((row) => row[field]));
}
