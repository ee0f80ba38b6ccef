import type pg from 'pg';

/**
 * The least id of a prefix that can have been made at `instant` or later. Ids begin with their millisecond
 * (packages/runtime/src/ids.ts, and `new_id` in the database), so a range of time is a range of the primary key.
 */
export function firstIdAt(prefix: string, instant: Date): string {
  return `${prefix}_${Math.max(0, instant.getTime()).toString(16).padStart(12, '0')}`;
}

/**
 * SQL that writes an instant as every answer shows it: UTC, milliseconds, `Z` (docs/reference/api.md). Null stays null.
 *
 * @param column SQL of a timestamptz.
 */
export function instantText(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/**
 * Array parameters of a statement that keeps its plan (docs/adr/0003). PostgreSQL knows how many elements a parameter has only
 * when it plans the statement for just those; where that plan looks cheaper than the one for any number, it plans anew each
 * time (https://www.postgresql.org/docs/current/sql-prepare.html). The answer of a subquery has an unknown number in both.
 *
 * @param parameters such as `$1::text[]`.
 */
export function ofAnyLength(...parameters: readonly string[]): string {
  return parameters.map((parameter) => `(SELECT ${parameter})`).join(', ');
}

/** Writes all rows by one statement, and nothing where there is none. @param columns its parameters, as of `columnsOf`. */
export async function writeRows(client: pg.PoolClient, text: string, columns: unknown[][]): Promise<void> {
  if (columns[0]?.length) await client.query(text, columns);
}

/** The parameters of `unnest`: for each of these fields a list with its value in every row. */
export function columnsOf<Row, Field extends keyof Row>(rows: readonly Row[], ...fields: Field[]): Row[Field][][] {
  return fields.map((field) => rows.map((row) => row[field]));
}
