import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres } from '@artist-watch/local-stack/embedded-postgres';
import { openReaper } from '@artist-watch/local-stack/processes/reaper';
import pg from 'pg';
import { type Certificate, createAuthority, createCertificate } from './certificates.js';
import { startRedisServers, type TlsFiles } from './redis-servers.js';

/** A PostgreSQL, a Redis and a Redis Cluster that speak nothing but TLS, with a certificate of an authority that nobody knows. */
export interface TlsStores {
  /** Without a word about TLS: parameters are the test's. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly redisClusterUrl: string;
  /** The certificate of the authority, in PEM. */
  readonly authorityFile: string;
  stop(): Promise<void>;
}

export async function startTlsStores(): Promise<TlsStores> {
  const reaper = openReaper();
  const directory = await mkdtemp(path.join(tmpdir(), 'artist-watch-tls-'));
  reaper.watchDirectory(directory);
  const stops: Array<() => Promise<void>> = [];
  const stop = async () => {
    await Promise.all(stops.map((stopServer) => stopServer()));
    await rm(directory, { recursive: true, force: true });
    await reaper.close();
  };
  try {
    const authority = await createAuthority();
    const certificate = await createCertificate(authority);
    const files = await writeFiles(directory, authority, certificate);
    const postgres = await startPostgres({
      directory: path.join(directory, 'postgres'),
      password: randomBytes(16).toString('hex'),
      logFile: path.join(directory, 'postgres.log'),
      database: 'artist_watch',
      settings: { fsync: 'off' },
      reaper,
    });
    stops.push(postgres.stop);
    await makePostgresTlsOnly(postgres.url, certificate);
    const redis = await startRedisServers(1, { tls: files });
    stops.push(redis.stop);
    const cluster = await startRedisServers(3, { inCluster: true, tls: files });
    stops.push(cluster.stop);
    const [one, two] = cluster.urls.map((url) => new URL(url).host);
    return {
      databaseUrl: postgres.url,
      redisUrl: redis.urls[0] as string,
      redisClusterUrl: `rediss+cluster://${one}?node=${two}`,
      authorityFile: files.authority,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeFiles(directory: string, authority: Certificate, { key, cert }: Certificate): Promise<TlsFiles> {
  const write = async (name: string, text: string) => {
    const file = path.join(directory, name);
    await writeFile(file, text);
    return file;
  };
  return {
    authority: await write('authority.pem', authority.cert),
    key: await write('server.key', key),
    certificate: await write('server.crt', cert),
  };
}

/** The server writes its own files, since it runs as a user of its own and takes no key that others may read. */
async function makePostgresTlsOnly(url: string, { key, cert }: Certificate): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const write = (name: string, text: string) => {
    const lines = `string_to_table(${client.escapeLiteral(text.trim())}, E'\\n')`;
    return client.query(`COPY (SELECT ${lines}) TO PROGRAM 'umask 077 && cat > ${name}'`);
  };
  await write('server.key', key);
  await write('server.crt', cert);
  await write('pg_hba.conf', 'hostssl all all all scram-sha-256');
  await client.query(`ALTER SYSTEM SET ssl = 'on'`);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}
