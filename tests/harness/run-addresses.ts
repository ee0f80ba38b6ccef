/** What the global set-up started once for the whole run; it reaches the test processes by environment. */
export interface RunAddresses {
  /** Of the database `postgres` on the run's server. */
  readonly postgresUrl: string;
  /** A migrated database that suites clone. */
  readonly template: string;
  /** Without a database number. */
  readonly redisUrl: string;
  /** Logical databases that the Redis has; 0 is the harness's own. */
  readonly redisDatabases: number;
}

const variable = 'HARNESS_RUN';

export function publishRunAddresses(addresses: RunAddresses): void {
  process.env[variable] = JSON.stringify(addresses);
}

/** @throws when the test runs outside the `stack` project, which has no servers. */
export function readRunAddresses(): RunAddresses {
  const text = process.env[variable];
  if (!text) throw new Error('This test needs the servers of the jest project "stack".');
  return JSON.parse(text) as RunAddresses;
}
