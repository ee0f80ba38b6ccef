import { checkAddress } from '@artist-watch/address-policy/check-address';
import { parseCidr, parseHost } from '@artist-watch/address-policy/ip-address';
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
  /** Private IP ranges allowed as destinations. Tests and the demo use `127.0.0.0/8,::1/128`. */
  EGRESS_ALLOW_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  EGRESS_CLIENT_CIDRS: listOf(parseCidr, 'is not a range such as 10.0.0.0/8').default([]),
  /** The credentials in the workers' EGRESS_PROXY_URLS. During a rotation, two are valid. */
  EGRESS_CLIENT_CREDENTIALS: credentialsList().default([]),
  /**
   * Includes the lookup. Shorter than the worker's timeout (10 s), so that the proxy's reason still reaches the worker.
   */
  EGRESS_CONNECT_TIMEOUT: timeoutMs().prefault('8s'),
  /** Workers close idle tunnels sooner than this. */
  EGRESS_IDLE_TIMEOUT: timeoutMs().prefault('5m'),
  /** Each tunnel uses two file descriptors. */
  EGRESS_MAX_TUNNELS: integer({ min: 1, max: 1_000_000 }).prefault('10000'),
} as const;

export type EgressConfig = Settings<typeof shape>;

/** @throws SettingsError that lists every mistake. */
export function readConfig(env: NodeJS.ProcessEnv): EgressConfig {
  const settings = readSettings(shape, env);
  const isOpenToAnyone = settings.EGRESS_CLIENT_CIDRS.length + settings.EGRESS_CLIENT_CREDENTIALS.length === 0;
  if (isOpenToAnyone && isEveryInterface(settings.LISTEN_HOST)) {
    throw new SettingsError([
      'EGRESS_CLIENT_CIDRS and EGRESS_CLIENT_CREDENTIALS are both missing, so anyone who can reach the port could ' +
        'use this proxy: set one of them, or set LISTEN_HOST to an address such as 127.0.0.1',
    ]);
  }
  return settings;
}

/** True if the host is missing, or is `0.0.0.0`, `0`, `::` or `::ffff:0.0.0.0`. */
function isEveryInterface(listenHost: string | undefined): boolean {
  if (listenHost === undefined) return true;
  const host = parseHost(listenHost);
  const verdict = host.kind === 'address' ? checkAddress(host.address, []) : undefined;
  return verdict?.allowed === false && (verdict.reason === 'unspecified' || verdict.reason === 'ipv4_in_ipv6');
}
