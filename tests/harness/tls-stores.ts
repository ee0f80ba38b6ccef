import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startTemporaryServers } from '@artist-watch/local-stack/processes/temporary-servers';
import pg from 'pg';
import { type CertificateFiles, writeCertificates } from './certificates.js';
import { placeOfServers } from './place-of-servers.js';
import { startRedisServers } from './redis-servers.js';

/** These servers accept only TLS connections, with a certificate that no client trusts by default. */
export interface TlsStores {
  /** Tests add the TLS parameters. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** PEM. */
  readonly authorityFile: string;
  stop(): Promise<void>;
}

export async function startTlsStores(): Promise<TlsStores> {
  const prefix = path.join(await placeOfServers(), 'artist-watch-tls-');
  return startTemporaryServers(prefix, async ({ directory, postgres: startPostgres, keep, stop }) => {
    const files = await writeCertificates(directory);
    const postgres = await startPostgres({ database: 'artist_watch', settings: { fsync: 'off' } });
    await makePostgresTlsOnly(postgres.url, files);
    const redis = keep(await startRedisServers(1, { tls: files }));
    return {
      databaseUrl: postgres.url.replace(/\?.*/, ''),
      redisUrl: redis.urls[0] as string,
      authorityFile: files.authority,
      stop,
    };
  });
}

/** PostgreSQL runs as another user and accepts only a key that no other user can read, so it writes these files. */
async function makePostgresTlsOnly(url: string, { key, certificate }: CertificateFiles): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const write = (name: string, text: string) => {
    const lines = `string_to_table(${client.escapeLiteral(text.trim())}, E'\\n')`;
    return client.query(`COPY (SELECT ${lines}) TO PROGRAM 'umask 077 && cat > ${name}'`);
  };
  await write('server.key', await readFile(key, 'utf8'));
  await write('server.crt', await readFile(certificate, 'utf8'));
  await write('pg_hba.conf', 'hostssl all all all scram-sha-256');
  await client.query(`ALTER SYSTEM SET ssl = 'on'`);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}
