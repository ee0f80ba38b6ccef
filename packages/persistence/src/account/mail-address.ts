import { domainToASCII, domainToUnicode } from 'node:url';
import { queryRows, type Statements } from '../database/database.js';

/** Converts the domain to ASCII, because Chrome submits it as ASCII while Firefox submits it as typed. */
export function canonicalAddress(typed: string): string {
  const { local, domain } = splitAddress(typed);
  return local + (domainToASCII(domain) || domain);
}

/** Returns the member's stored address, or the canonical form if there is no member. */
export async function storedAddress(client: Statements, typed: string): Promise<string> {
  const { local, domain } = splitAddress(typed);
  const canonical = canonicalAddress(typed);
  const [member] = await queryRows<{ email: string }>(client, {
    text: 'SELECT email FROM members WHERE email = ANY($1::text[]) ORDER BY array_position($1::text[], email) LIMIT 1',
    values: [[local + domain, canonical, local + domainToUnicode(domain)]],
  });
  return member?.email ?? canonical;
}

function splitAddress(typed: string) {
  const address = typed.toLowerCase();
  const at = address.lastIndexOf('@') + 1;
  return { local: address.slice(0, at), domain: address.slice(at) };
}
