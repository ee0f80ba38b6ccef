import type { Database } from '@artist-watch/persistence/database/database';
import { createSecretBox, type SecretBox } from '@artist-watch/persistence/secret-box';
import type { Clock } from '@artist-watch/runtime/clock';
import type { Config } from './config.js';
import type { Output } from './print.js';

/** Connections are only opened when first used. */
export interface Cli {
  readonly config: Config;
  readonly clock: Clock;
  readonly output: Output;
  /** @throws SettingsError, or StartError if PostgreSQL is unreachable. */
  database(): Promise<Database>;
  /** @throws SettingsError on first use if the encryption key is missing or invalid. */
  readonly secretBox: SecretBox;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;

export function openCli(config: Config, clock: Clock, output: Output): Cli {
  let database: Database | undefined;
  return {
    config,
    clock,
    output,
    async database() {
      if (database) return database;
      const url = config.databaseUrl();
      const { openDatabase } = await import('@artist-watch/persistence/database/database');
      const { reachDatabase } = await import('@artist-watch/persistence/database/reach-database');
      const opened = openDatabase({
        url,
        applicationName: 'artist-watch-cli',
        poolSize: 2,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
      });
      database = opened;
      await reachDatabase(opened, url);
      return opened;
    },
    secretBox: openLazily(() => {
      const { current, retired } = config.encryptionKeys();
      return createSecretBox(current, retired);
    }),
    async close() {
      await database?.close();
    },
  };
}

/** Commands that don't use secrets work without ENCRYPTION_KEY. */
function openLazily(open: () => SecretBox): SecretBox {
  let box: SecretBox | undefined;
  const opened = () => {
    box ??= open();
    return box;
  };
  return {
    seal: (text, context) => opened().seal(text, context),
    open: (sealed, context) => opened().open(sealed, context),
    isOutdated: (sealed) => opened().isOutdated(sealed),
  };
}
