import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';

/**
 * The limit to compare with: express, a pool, and one prepared statement that reads the very bytes of a page. No session, no
 * member, no markup, no headers of security, no log.
 *
 * Settings: DATABASE_URL; its table `bare_pages` has the pages.
 */
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 });
const app = express();

app.use(async (request, response) => {
  const { rows } = await pool.query<{ html: string }>({
    name: 'read-page',
    text: 'SELECT html FROM bare_pages WHERE path = $1',
    values: [request.path],
  });
  response.type('html').send(rows[0]?.html);
});

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.({ type: 'ready', addresses: { dashboard: (server.address() as AddressInfo).port } });
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
