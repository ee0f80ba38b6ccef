import { type Cidr, cidrContains, parseIpAddress } from '@artist-watch/address-policy/ip-address';
import { describeError, type Finding, fault, ok, skipped, warning } from '../finding.js';
import { requestOptions, requestTunnel } from '../proxy-request.js';

const TIMEOUT_MS = 10_000;

/** Private addresses that an attacker could use as the target of a webhook. */
const FORBIDDEN_ADDRESSES = ['169.254.169.254', '127.0.0.1', '10.0.0.1', '192.168.0.1', '172.16.0.1', '100.64.0.1'];
/**
 * The name never exists, because RFC 6761 section 6.4 reserves `.invalid`. The response therefore shows whether the
 * proxy can resolve names.
 */
const NO_SUCH_HOST = 'doctor.invalid:443';

/** Checks that each proxy is reachable, blocks private IP addresses, and resolves names. */
export async function examineEgressProxies(urls: readonly string[], allowCidrs: readonly Cidr[]): Promise<Finding[]> {
  const findings = await Promise.all(urls.map((url) => examineProxy(new URL(url), allowCidrs)));
  return findings.flat();
}

async function examineProxy(proxy: URL, allowCidrs: readonly Cidr[]): Promise<Finding[]> {
  const check = `egress.${proxy.host}`;
  try {
    await requestOptions(proxy, TIMEOUT_MS);
  } catch (error) {
    return [
      fault(
        `${check}.reachable`,
        `${proxy.host} (EGRESS_PROXY_URLS) cannot be reached: ${describeError(error)}.`,
        'Check that the proxy is running and that the network allows the connection. See docs/runbooks/egress-down.md.',
      ),
    ];
  }
  return [
    ok(`${check}.reachable`, 'The proxy responds.'),
    await checkPrivateAddresses(proxy, `${check}.refuses_private`, allowCidrs),
    await checkNameLookup(proxy, `${check}.answers`),
  ];
}

async function checkPrivateAddresses(proxy: URL, check: string, allowCidrs: readonly Cidr[]): Promise<Finding> {
  const addresses = FORBIDDEN_ADDRESSES.filter((text) => {
    const parsed = parseIpAddress(text);
    return parsed && !allowCidrs.some((range) => cidrContains(range, parsed));
  });
  if (addresses.length === 0)
    return skipped(check, 'EGRESS_ALLOW_CIDRS allows every private IP address that this check uses.');
  const findings = await Promise.all(addresses.map((address) => checkAddress(proxy, check, address)));
  return (
    findings.find(({ state }) => state === 'fault') ??
    findings.find(({ state }) => state === 'warning') ??
    ok(check, `The proxy refuses ${addresses.join(', ')}.`)
  );
}

async function checkAddress(proxy: URL, check: string, address: string): Promise<Finding> {
  const answer = await requestTunnel(proxy, `${address}:80`, TIMEOUT_MS);
  switch (answer.kind) {
    case 'tunnel':
      answer.socket.destroy();
      return fault(
        check,
        `The proxy opened a tunnel to ${address}, so webhooks can reach your private network.`,
        'Remove the proxy from EGRESS_PROXY_URLS until it blocks private IP addresses.',
      );
    case 'broken':
      return closedConnection(check, answer.error);
    case 'refused':
      return judgeRefusal(check, address, answer);
  }
}

function judgeRefusal(
  check: string,
  address: string,
  { status, reason }: { status: number; reason: string | null },
): Finding {
  if (reason === 'forbidden_address' || reason === 'forbidden_destination')
    return ok(check, `The proxy refuses ${address}.`);
  // Smokescreen also uses this status when it denies a destination, but then it includes a reason.
  if (status === 407 && reason === null) {
    return fault(
      check,
      'The proxy requires a user and a password, or rejects those in EGRESS_PROXY_URLS.',
      'Set user and password in EGRESS_PROXY_URLS: http://user:password@host:port.',
    );
  }
  if (reason === null) {
    return warning(
      check,
      `The proxy returned ${status} for ${address} without a known reason, so workers treat the refusal as a proxy fault.`,
      'Configure the proxy to send the reason in X-Egress-Error, X-Smokescreen-Error or X-Squid-Error.',
    );
  }
  return fault(
    check,
    `The proxy tried to connect to ${address} instead of refusing, and failed with ${reason}.`,
    'Configure the proxy to resolve the name first and then block private IP addresses.',
  );
}

function closedConnection(check: string, error: unknown): Finding {
  return fault(
    check,
    `The proxy closed the connection without a response: ${describeError(error)}.`,
    'Check the log of the proxy.',
  );
}

async function checkNameLookup(proxy: URL, check: string): Promise<Finding> {
  const answer = await requestTunnel(proxy, NO_SUCH_HOST, TIMEOUT_MS);
  switch (answer.kind) {
    case 'tunnel':
      answer.socket.destroy();
      return fault(
        check,
        `The proxy opened a tunnel to ${NO_SUCH_HOST}, which does not exist.`,
        'This server cannot be a proxy for webhooks. Remove it from EGRESS_PROXY_URLS.',
      );
    case 'broken':
      return closedConnection(check, answer.error);
    case 'refused':
      if (answer.reason === 'name_not_found')
        return ok(check, 'The proxy resolves names, and gives a reason when it refuses.');
      return warning(
        check,
        `The proxy returned ${answer.status} (${answer.reason ?? 'no reason'}) for a name that does not exist.`,
        'Check the log and the DNS servers of the proxy. It may be unable to resolve names.',
      );
  }
}
