import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { openEgressRoute } from '@artist-watch/webhook-worker/adapters/egress/egress-route';
import { IdleTunnels } from '@artist-watch/webhook-worker/adapters/egress/tunnel-agent';
import { serveParent } from '../processes/measured-main.js';

/**
 * Posts the same bytes as the worker, but without a queue, database, signature or log.
 * Settings: URLS (comma-separated, used in rotation), PROXY_URL, CA_FILE, BODY, CONCURRENCY.
 */
const { URLS = '', PROXY_URL = '', CA_FILE = '', BODY = '', CONCURRENCY = '1' } = process.env;

const route = openEgressRoute(PROXY_URL, {
  connectTimeoutMs: 10_000,
  idleTimeoutMs: 4_000,
  maxAgeMs: 10_000,
  idleTunnels: new IdleTunnels(1_000),
  ca: [readFileSync(CA_FILE, 'utf8')],
});
const isPlain = URLS.startsWith('http:');
const request = isPlain ? http.request : https.request;
const requestAgent = isPlain ? route.agents.http : route.agents.https;
const urls = URLS.split(',');
const body = Buffer.from(BODY);
const headers = {
  'Content-Type': 'application/json',
  'User-Agent': 'Artist-Watch-Webhooks/1',
  'X-Service-Event': 'change.confirmed',
  'X-Service-Signature': `t=1700000000,v1=${'a'.repeat(64)}`,
  'X-Service-Delivery': 'dlv_00000000000000000000000000000000',
  'X-Service-Attempt': '1',
};

function post(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const posted = request(url, { method: 'POST', headers, agent: requestAgent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    posted.once('error', reject);
    posted.end(body);
  });
}

let posted = 0;
let turn = 0;
async function loop(): Promise<void> {
  for (;;) {
    turn += 1;
    const status = await post(urls[turn % urls.length] as string);
    if (status !== 204) throw new Error(`The receiver responded with ${status}.`);
    posted += 1;
  }
}

serveParent({}, { posted: () => ({ posted }) });
await Promise.all(Array.from({ length: Number(CONCURRENCY) }, loop));
