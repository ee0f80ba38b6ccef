/**
 * SQL that locks destinations in the order of their ids, to avoid deadlocks. `t.id IN (…)` would scan the whole index
 * on connections that avoid sorts.
 * @param ids SQL query of the ids, as column `id`
 */
export function lockDestinations(ids: string, columns: string, lock: 'FOR SHARE' | 'FOR NO KEY UPDATE'): string {
  return `SELECT locked.* FROM (SELECT DISTINCT id FROM (${ids}) wanted ORDER BY id OFFSET 0) ids
     CROSS JOIN LATERAL (SELECT ${columns} FROM destinations t WHERE t.id = ids.id ${lock}) locked`;
}
