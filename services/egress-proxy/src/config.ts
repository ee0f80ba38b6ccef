import { checkAddress } from '@artist-watch/address-policy/check-address';
import { parseHost } from '@artist-watch/address-policy/host';
import { parseCidr } from '@artist-watch/address-policy/ip-address';
import {
  credentialsList,
  integer,
  listOf,
  port,
  readSettings,
  type Settings,
  SettingsError,
  serviceSettings,
  servingSettings,
  timeoutMs,
} from '@artist-watch/runtime/settings/settings';

const shape = {
  ...serviceSettings,
  ...servingSettings,
  EGRESS_PORT: port().prefault('3128'),
  /** Private ranges that may be reached all the same: `127.0.0.0/8,::1/128` in tests and in the demo. */
  EGRESS_ALLOW_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  /** Clients that may use this proxy: in these ranges … */
  EGRESS_CLIENT_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  /** … that also know one of these, as workers write them in EGRESS_PROXY_URLS; two while they are being changed. */
  EGRESS_CLIENT_CREDENTIALS: credentialsList().default([]),
  /**
   * From the request to the open connection, look-up included. Shorter than a webhook's ten seconds, so that the answer
   * still says why.
   */
  EGRESS_CONNECT_TIMEOUT: timeoutMs().prefault('8s'),
  /** A tunnel that carries nothing for this long is closed; the workers keep theirs for less. */
  EGRESS_IDLE_TIMEOUT: timeoutMs().prefault('5m'),
  /** Tunnels at once, those that are being opened included. Each takes two file descriptors. */
  EGRESS_MAX_TUNNELS: integer({ min: 1, max: 1_000_000 }).prefault('10000'),
} as const;

export type EgressConfig = Settings<typeof shape>;

/** @throws SettingsError that lists every mistake. */
export function readConfig(env: NodeJS.ProcessEnv): EgressConfig {
  const settings = readSettings(shape, env);
  const isOpenToAnybody = settings.EGRESS_CLIENT_CIDRS.length + settings.EGRESS_CLIENT_CREDENTIALS.length === 0;
  if (isOpenToAnybody && isEveryInterface(settings.LISTEN_HOST)) {
    throw new SettingsError([
      'EGRESS_CLIENT_CIDRS and EGRESS_CLIENT_CREDENTIALS are both missing, so that anybody who reaches the port could send ' +
        'through this proxy: set one of them, or LISTEN_HOST to an address such as 127.0.0.1',
    ]);
  }
  return settings;
}

/** Without a host Node listens everywhere, as with `0.0.0.0`, `0`, `::` and `::ffff:0.0.0.0`. */
function isEveryInterface(listenHost: string | undefined): boolean {
  if (listenHost === undefined) return true;
  const host = parseHost(listenHost);
  const verdict = host.kind === 'address' ? checkAddress(host.address, []) : undefined;
  return verdict?.allowed === false && (verdict.reason === 'unspecified' || verdict.reason === 'ipv4_in_ipv6');
}
