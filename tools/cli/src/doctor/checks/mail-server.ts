import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describeError, type Finding, fault, ok } from '../finding.js';

const DEFAULT_PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

/** Reads the mail server's greeting (RFC 5321 section 4.2). Doesn't sign in or send any email. */
export async function examineMailServer(smtpUrl: string | undefined, timeoutMs: number): Promise<Finding[]> {
  if (smtpUrl === undefined) return [];
  const { protocol, hostname, port } = new URL(smtpUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'smtps:';
  const address = { host, port: Number(port) || DEFAULT_PORTS[isTls ? 'smtps:' : 'smtp:'] };
  const signal = AbortSignal.timeout(timeoutMs);
  const socket = isTls ? connectTls({ ...address, servername: host }) : connectTcp(address);
  try {
    const [greeting] = (await once(socket, 'data', { signal })) as [Buffer];
    const line = greeting.toString('latin1').split(/\r?\n/, 1)[0]?.slice(0, 100) ?? '';
    if (line.startsWith('220')) return [ok('mail.greeting', `${host}:${address.port} responds: ${line}`)];
    return [
      fault(
        'mail.greeting',
        `${host}:${address.port} is not a usable mail server. The server responded: ${line}`,
        'Correct SMTP_URL.',
      ),
    ];
  } catch (error) {
    const reason = signal.aborted ? 'no greeting within 5 s' : describeError(error);
    const fix =
      'Check SMTP_URL (smtps: for TLS from the first byte) and the firewall. Emails wait until the server responds.';
    return [fault('mail.greeting', `${host}:${address.port} cannot be reached: ${reason}.`, fix)];
  } finally {
    socket.destroy();
  }
}
