import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import pg from 'pg';
import { serveParent } from '../processes/measured-main.js';

/**
 * A minimal Express server to compare the API with.
 * Settings: DATABASE_URL, ACCOUNT_IDS (comma-separated, used in rotation), DATABASE_POOL_SIZE.
 */
const { DATABASE_URL = '', ACCOUNT_IDS = '', DATABASE_POOL_SIZE = '10' } = process.env;
const accountIds = ACCOUNT_IDS.split(',');
const pool = new pg.Pool({
  connectionString: DATABASE_URL,
  max: Number(DATABASE_POOL_SIZE),
  idleTimeoutMillis: 600_000,
});
const DAY_MS = 86_400_000;

/** Omits the `GET /v1/changes` fields that require comparing two observations or reading another table. */
const READ = `
  SELECT coalesce(json_agg(item), '[]')::text AS data
    FROM (SELECT c.id, c.type, c.severity, c.artist_id, c.summary,
                 to_char(c.confirmed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS confirmed_at,
                 c.entity_type, c.entity_id, c.entity_name,
                 to_char(c.detected_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS detected_at
            FROM feed_items f JOIN changes c ON c.id = f.change_id
           WHERE f.account_id = $1 AND f.confirmed_at >= $2
           ORDER BY f.confirmed_at DESC, f.change_id DESC
           LIMIT 200) item`;

const app = express();
let turn = 0;

app.get('/changes', async (_request, response) => {
  const accountId = accountIds[turn % accountIds.length];
  turn += 1;
  const { rows } = await pool.query<{ data: string }>({
    name: 'read',
    text: READ,
    values: [accountId, new Date(Date.now() - DAY_MS)],
  });
  response.type('json').send(`{"data":${rows[0]?.data}}`);
});

app.get('/unauthorized', (_request, response) => {
  response.status(401).json({ error: { code: 'unauthorized', message: 'This API key is unknown or was revoked.' } });
});

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
const { port } = server.address() as AddressInfo;
serveParent({ api: port, dashboard: port });
