import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generate } from 'selfsigned';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const dayMs = 86_400_000;

/** Clients must trust the authority's `cert`. */
export async function createAuthority(name = 'Test authority'): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { key: made.private, cert: made.cert };
}

/** A null `authority` creates a self-signed certificate, and a past `notAfter` an expired one. */
export async function createCertificate(
  authority: Certificate | null,
  hosts: readonly string[] = ['localhost', '127.0.0.1'],
  notAfter: Date = new Date(Date.now() + dayMs),
  algorithm: 'sha256' | 'sha1' = 'sha256',
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: hosts[0] ?? 'localhost' }], {
    keyType: 'ec',
    algorithm,
    ...(authority ? { ca: authority } : {}),
    notBeforeDate: new Date(Math.min(Date.now(), notAfter.getTime()) - dayMs),
    notAfterDate: notAfter,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, keyEncipherment: true },
      // The nodes of a Redis Cluster are also clients of each other.
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      { name: 'subjectAltName', altNames: hosts.map(alternativeName) },
    ],
  });
  return { key: made.private, cert: made.cert };
}

export interface CertificateFiles {
  readonly authority: string;
  readonly key: string;
  readonly certificate: string;
}

export async function writeCertificates(directory: string): Promise<CertificateFiles> {
  const authority = await createAuthority();
  const { key, cert } = await createCertificate(authority);
  const write = async (name: string, text: string) => {
    const file = path.join(directory, name);
    await writeFile(file, text);
    return file;
  };
  return {
    authority: await write('authority.pem', authority.cert),
    key: await write('server.key', key),
    certificate: await write('server.pem', cert),
  };
}

function alternativeName(host: string) {
  const isAddress = /^[\d.]+$/.test(host) || host.includes(':');
  return isAddress ? { type: 7 as const, ip: host } : { type: 2 as const, value: host };
}
