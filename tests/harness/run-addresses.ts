/** The global set-up starts these servers once per run. Test processes read the addresses from the environment. */
export interface RunAddresses {
  readonly postgresUrl: string;
  /** Suites clone this migrated database. */
  readonly template: string;
  /** The URL has no database number. */
  readonly redisUrl: string;
  /** The harness uses logical database 0. */
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
