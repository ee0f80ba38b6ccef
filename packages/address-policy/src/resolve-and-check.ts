import { checkAddress } from './check-address.js';
import { type Host, parseHost } from './host.js';
import type { Cidr, IpAddress } from './ip-address.js';
import type { ForbiddenReason } from './special-ranges.js';

/**
 * Answers all addresses of a name, IPv4 and IPv6; none when it does not exist. Throws when the name servers failed or did
 * not answer in time.
 */
export type Resolver = (name: string, signal?: AbortSignal) => Promise<readonly string[]>;

export interface ResolveOptions {
  readonly resolve: Resolver;
  /** `EGRESS_ALLOW_CIDRS` */
  readonly allowCidrs: readonly Cidr[];
  readonly signal?: AbortSignal;
}

export type Resolution =
  /** All of them are allowed; connect to one of these, and never look the name up again. */
  | { readonly kind: 'allowed'; readonly addresses: readonly IpAddress[] }
  | { readonly kind: 'forbidden'; readonly reason: ForbiddenReason }
  | { readonly kind: 'invalid_host' }
  | { readonly kind: 'name_not_found' }
  | { readonly kind: 'lookup_failed'; readonly cause: unknown };

/**
 * Resolves a host and checks every address of the answer. One forbidden address among allowed ones refuses the whole:
 * who answers so is trying what gets through (DNS rebinding), and the order of the addresses is theirs to choose.
 */
export async function resolveAndCheck(host: string | Host, options: ResolveOptions): Promise<Resolution> {
  const parsed = typeof host === 'string' ? parseHost(host) : host;
  switch (parsed.kind) {
    case 'invalid':
      return { kind: 'invalid_host' };
    case 'zone_id':
      return { kind: 'forbidden', reason: 'zone_id' };
    case 'address':
      return checkAll([parsed.address], options.allowCidrs);
    case 'name':
      return resolveName(parsed.name, options);
  }
}

async function resolveName(name: string, { resolve, allowCidrs, signal }: ResolveOptions): Promise<Resolution> {
  let answers: readonly string[];
  try {
    answers = await resolve(name, signal);
  } catch (cause) {
    return { kind: 'lookup_failed', cause };
  }
  return answers.length === 0 ? { kind: 'name_not_found' } : checkAll([...new Set(answers)], allowCidrs);
}

function checkAll(answers: readonly (string | IpAddress)[], allowCidrs: readonly Cidr[]): Resolution {
  const addresses: IpAddress[] = [];
  for (const answer of answers) {
    const verdict = checkAddress(answer, allowCidrs);
    if (!verdict.allowed) return { kind: 'forbidden', reason: verdict.reason };
    addresses.push(verdict.address);
  }
  return { kind: 'allowed', addresses };
}
