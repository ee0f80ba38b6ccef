// A receiver for node:http, without a dependency. Run: SIGNING_SECRETS=whsec_… PORT=9000 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secrets = process.env.SIGNING_SECRETS.split(','); // two while you rotate
const maxBodyBytes = 64 * 1024;
const seen = new Set(); // a unique column in your database

function isGenuine(header, body, now) {
  const parts = (header ?? '').split(',').map((part) => part.trim().split('='));
  const timestamps = parts.filter(([name]) => name === 't').map(([, value]) => value);
  const signatures = parts.filter(([name]) => name === 'v1').map(([, value]) => value);
  if (timestamps.length !== 1 || !/^\d{1,12}$/.test(timestamps[0])) return false;
  if (Math.abs(now - Number(timestamps[0])) >= 300) return false;
  return secrets.some((secret) => {
    const expected = createHmac('sha256', secret).update(`${timestamps[0]}.`).update(body).digest();
    return signatures.some(
      (hex) => /^[0-9a-f]{64}$/.test(hex ?? '') && timingSafeEqual(Buffer.from(hex, 'hex'), expected),
    );
  });
}

async function readBody(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return undefined;
    chunks.push(chunk); // bytes: the signature is over what arrived, not over what a parser made of it
  }
  return Buffer.concat(chunks);
}

createServer(async (request, response) => {
  const body = await readBody(request).catch(() => undefined);
  if (!body || !isGenuine(request.headers['x-service-signature'], body, Math.floor(Date.now() / 1000))) {
    response.writeHead(400, { Connection: 'close' }).end();
    return;
  }
  const delivery = request.headers['x-service-delivery'];
  const change = JSON.parse(body.toString('utf8'));
  if (!seen.has(delivery)) {
    seen.add(delivery);
    console.log(`received ${change.change_id} ${change.change_type}`); // hand it to a queue of yours
  }
  response.writeHead(204).end();
}).listen(Number(process.env.PORT ?? 9000), '127.0.0.1', function () {
  console.log(`listening on ${this.address().port}`);
});
