/**
 * SQL that locks destinations in id order, to avoid deadlocks. If `enable_sort` is off, `t.id IN (…)` would scan the
 * whole index.
 * @param ids SQL query that returns the ids in column `id`
 */
export function lockDestinations(ids: string, columns: string, lock: 'FOR SHARE' | 'FOR NO KEY UPDATE'): string {
  return `SELECT locked.* FROM (SELECT DISTINCT id FROM (${ids}) wanted ORDER BY id OFFSET 0) ids
     CROSS JOIN LATERAL (SELECT ${columns} FROM destinations t WHERE t.id = ids.id ${lock}) locked`;
}
