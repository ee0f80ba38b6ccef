/** The global set-up starts these servers once per run. Test processes read the addresses from the environment. */
export interface RunAddresses {
  /** For the database `postgres`. */
  readonly postgresUrl: string;
  /** The migrated database that suites clone. */
  readonly template: string;
  /** Without a database number. */
  readonly redisUrl: string;
  /** Number of logical databases. The harness uses database 0. */
  readonly redisDatabases: number;
}

const variable = 'HARNESS_RUN';

export function publishRunAddresses(addresses: RunAddresses): void {
  process.env[variable] = JSON.stringify(addresses);
}

/** @throws Error outside the `stack` project, which alone has servers. */
export function readRunAddresses(): RunAddresses {
  const text = process.env[variable];
  if (!text) throw new Error('This test needs the servers of the jest project "stack".');
  return JSON.parse(text) as RunAddresses;
}
