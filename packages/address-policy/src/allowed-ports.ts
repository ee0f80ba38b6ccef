const WELL_KNOWN = new Set([80, 443]);
const LAST_PRIVILEGED = 1_023;
const LAST = 65_535;

/**
 * 80, 443 and 1024 to 65535: no mail, no remote shell and no name service is to be spoken to by a POST
 * (docs/reference/egress.md).
 */
export function isAllowedPort(port: number): boolean {
  return WELL_KNOWN.has(port) || (Number.isInteger(port) && port > LAST_PRIVILEGED && port <= LAST);
}
