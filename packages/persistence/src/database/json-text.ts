/**
 * SQL that writes an instant as every answer shows it: UTC, milliseconds, `Z` (docs/reference/api.md). Null stays null.
 *
 * @param column SQL of a timestamptz.
 */
export function instantText(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
