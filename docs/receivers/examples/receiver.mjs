// A receiver for node:http, without dependencies. Run: SIGNING_SECRETS=whsec_… PORT=9000 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

// During a rotation there are two secrets. Ignore empty ones, because anyone can compute a signature with an empty key.
const secrets = (process.env.SIGNING_SECRETS ?? '').split(',').filter((secret) => secret.trim() !== '');
if (secrets.length === 0) {
  console.error('SIGNING_SECRETS contains no secret: set it to the secret of your destination.');
  process.exit(1);
}
const maxBodyBytes = 64 * 1024;
const seen = new Set(); // change_ids; use a unique column in your database instead

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
    chunks.push(chunk); // raw bytes, because the signature covers the received bytes
  }
  return Buffer.concat(chunks);
}

function readChange(body) {
  try {
    const change = JSON.parse(body.toString('utf8'));
    return typeof change?.change_id === 'string' ? change : undefined;
  } catch {
    return undefined;
  }
}

// Disconnect a sender that takes longer than ten seconds to send its request.
const timeouts = { requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };

createServer(timeouts, async (request, response) => {
  const body = await readBody(request).catch(() => undefined);
  const isOurs = body && isGenuine(request.headers['x-service-signature'], body, Math.floor(Date.now() / 1000));
  const change = isOurs ? readChange(body) : undefined;
  if (!change) {
    response.writeHead(400, { Connection: 'close' }).end();
    return;
  }
  // Use the signed change_id, because an attacker can repeat a signed body with another X-Service-Delivery.
  if (!seen.has(change.change_id)) {
    seen.add(change.change_id);
    console.log(`received ${change.change_id} ${change.change_type}`); // put the change into your queue here
  }
  response.writeHead(204).end();
}).listen(Number(process.env.PORT ?? 9000), '127.0.0.1', function () {
  console.log(`listening on ${this.address().port}`);
});
