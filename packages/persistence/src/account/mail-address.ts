import { domainToASCII, domainToUnicode } from 'node:url';
import { rowsOf, type Statements } from '../database/database.js';

/** In lower case, with the domain in ASCII: of one internationalised domain Chrome submits that, and Firefox what was typed. */
export function canonicalAddress(typed: string): string {
  const { local, domain } = partsOf(typed);
  return local + (domainToASCII(domain) || domain);
}

/** How an address that somebody typed stands in the record: as in its seat, which may be older than this rule, or canonical. */
export async function storedAddress(client: Statements, typed: string): Promise<string> {
  const { local, domain } = partsOf(typed);
  const canonical = canonicalAddress(typed);
  const [seat] = await rowsOf<{ email: string }>(client, {
    text: 'SELECT email FROM members WHERE email = ANY($1::text[]) ORDER BY array_position($1::text[], email) LIMIT 1',
    values: [[local + domain, canonical, local + domainToUnicode(domain)]],
  });
  return seat?.email ?? canonical;
}

function partsOf(typed: string) {
  const address = typed.toLowerCase();
  const at = address.lastIndexOf('@') + 1;
  return { local: address.slice(0, at), domain: address.slice(at) };
}
