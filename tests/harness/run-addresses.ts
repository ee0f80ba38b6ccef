/** The servers that the global set-up starts once per run. Test processes get their addresses from the environment. */
export interface RunAddresses {
  /** URL of the database `postgres` on the run's server. */
  readonly postgresUrl: string;
  /** The migrated database that suites clone. */
  readonly template: string;
  /** URL of the Redis server, without a database number. */
  readonly redisUrl: string;
  /** The number of logical databases in Redis. The harness uses database 0. */
  readonly redisDatabases: number;
}

const variable = 'HARNESS_RUN';

export function publishRunAddresses(addresses: RunAddresses): void {
  process.env[variable] = JSON.stringify(addresses);
}

/** @throws if the test runs outside the `stack` project, which alone has servers */
export function readRunAddresses(): RunAddresses {
  const text = process.env[variable];
  if (!text) throw new Error('This test needs the servers of the jest project "stack".');
  return JSON.parse(text) as RunAddresses;
}
