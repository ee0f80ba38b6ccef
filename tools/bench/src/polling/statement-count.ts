import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import type { DataServers } from '../processes/data-servers.js';

export interface StatementCount {
  /** Statements that PostgreSQL was sent by connections that were opened meanwhile, transaction control included. */
  readonly statements: number;
  readonly byVerb: ReadonlyMap<string, number>;
}

/** PostgreSQL writes every statement of a new connection into its log; what `work` lets happen is counted there. */
export async function countStatements(
  data: DataServers,
  pool: pg.Pool,
  work: () => Promise<void>,
): Promise<StatementCount> {
  const log = path.join(data.directory, 'postgres.log');
  const database = new URL(data.databaseUrl).pathname.slice(1);
  await pool.query(`ALTER DATABASE ${database} SET log_statement = 'all'`);
  const { size } = await stat(log);
  await work();
  await pool.query(`ALTER DATABASE ${database} RESET log_statement`);
  const written = (await readFile(log)).subarray(size).toString('utf8');
  const byVerb = new Map<string, number>();
  for (const [, verb = ''] of written.matchAll(/LOG: {2}(?:statement|execute [^:]*): \s*(\w+)/g)) {
    byVerb.set(verb.toUpperCase(), (byVerb.get(verb.toUpperCase()) ?? 0) + 1);
  }
  return { statements: [...byVerb.values()].reduce((sum, count) => sum + count, 0), byVerb };
}
