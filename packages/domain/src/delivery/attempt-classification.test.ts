import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { classifyAttempt, type SendResult } from './attempt-classification.js';
import { EGRESS_ERRORS, type EgressError } from './attempt-errors.js';
import { REASON_HEADERS, type ReasonSource } from './proxy-dialects.js';

function blameOf(result: SendResult): string {
  const verdict = classifyAttempt(result);
  return verdict.kind === 'succeeded' ? 'nobody' : verdict.blame;
}

function errorOf(result: SendResult): string | null {
  const verdict = classifyAttempt(result);
  return verdict.kind === 'succeeded' ? null : verdict.error;
}

describe('responses of the receiver', () => {
  test.each([200, 201, 202, 204, 226, 299])('a response with status %i is a success', (status) => {
    expect(classifyAttempt({ kind: 'answered', status })).toEqual({ kind: 'succeeded', status });
  });

  test.each([100, 101, 199, 300, 304, 305, 400, 401, 404, 410, 429, 499, 500, 503, 599, 600, 999])(
    'a response with status %i is blamed on the receiver',
    (status) => {
      expect(classifyAttempt({ kind: 'answered', status })).toEqual({
        kind: 'failed',
        blame: 'receiver',
        error: 'unexpected_status',
        reason: `The receiver reported an error (status ${status}).`,
        status,
      });
    },
  );

  test.each([301, 302, 303, 307, 308])(
    'a response with status %i is blamed on the receiver, because redirects are never followed',
    (status) => {
      expect(classifyAttempt({ kind: 'answered', status })).toMatchObject({
        kind: 'failed',
        blame: 'receiver',
        error: 'redirected',
        status,
      });
    },
  );

  test('a response is a success only with a 2xx status', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 }), (status) => {
        const succeeded = classifyAttempt({ kind: 'answered', status }).kind === 'succeeded';
        expect(succeeded).toBe(status >= 200 && status < 300);
      }),
    );
  });
});

describe('errors inside an open tunnel are blamed on the receiver', () => {
  test.each<[SendResult, string]>([
    [{ kind: 'timed_out', phase: 'tls' }, 'timed_out'],
    [{ kind: 'timed_out', phase: 'request' }, 'timed_out'],
    [{ kind: 'timed_out', phase: 'response' }, 'timed_out'],
    [{ kind: 'connection_failed', failure: 'refused' }, 'connection_refused'],
    [{ kind: 'connection_failed', failure: 'reset' }, 'connection_reset'],
    [{ kind: 'connection_failed', failure: 'closed' }, 'connection_closed'],
    [{ kind: 'connection_failed', failure: 'malformed_answer' }, 'malformed_answer'],
    [{ kind: 'connection_failed', failure: 'headers_too_large' }, 'headers_too_large'],
    [{ kind: 'tls_failed', code: 'CERT_HAS_EXPIRED' }, 'certificate_expired'],
    [{ kind: 'tls_failed', code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'certificate_name_mismatch'],
    [{ kind: 'tls_failed', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'certificate_self_signed'],
    [{ kind: 'tls_failed', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, 'certificate_chain_incomplete'],
    [{ kind: 'tls_failed', code: 'EPROTO' }, 'tls_failed'],
    [{ kind: 'tls_failed', code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'tls_failed'],
    [{ kind: 'tls_failed', code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' }, 'client_certificate_required'],
    [{ kind: 'tls_failed', code: 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE' }, 'client_certificate_required'],
    [{ kind: 'tls_failed', code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL' }, 'http2_required'],
    [{ kind: 'tls_failed', code: 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE' }, 'tls_refused'],
    [{ kind: 'tls_failed', code: 'CA signature digest algorithm too weak' }, 'certificate_too_weak'],
    [{ kind: 'tls_failed', code: 'EE certificate key too weak' }, 'certificate_too_weak'],
    [{ kind: 'tls_failed', code: 'ERR_SSL_DH_KEY_TOO_SMALL' }, 'tls_failed'],
    [{ kind: 'tls_failed', code: 'constructor' }, 'tls_failed'],
  ])('%j: %s', (result, error) => {
    expect(classifyAttempt(result)).toMatchObject({ kind: 'failed', blame: 'receiver', error });
  });

  test('the reason given for a timeout states the time limit in seconds', () => {
    const reason = (timeoutMs?: number) => {
      const verdict = classifyAttempt({ kind: 'timed_out', phase: 'response' }, timeoutMs);
      return verdict.kind === 'failed' && verdict.reason;
    };
    expect(reason()).toBe('The receiver did not respond within 10 seconds.');
    expect(reason(2_500)).toBe('The receiver did not respond within 2.5 seconds.');
  });
});

describe('errors before the request do not count as an attempt', () => {
  test.each<[SendResult, string, string]>([
    [{ kind: 'proxy_unreachable', code: 'ECONNREFUSED' }, 'egress', 'proxy_unreachable'],
    [{ kind: 'proxy_silent' }, 'egress', 'proxy_silent'],
    [{ kind: 'proxy_broke_connect' }, 'egress', 'proxy_broke_connect'],
    [{ kind: 'proxy_lost' }, 'egress', 'proxy_lost'],
    [{ kind: 'proxy_cannot_resolve' }, 'egress', 'proxy_cannot_resolve'],
    [{ kind: 'proxy_tls_failed', code: 'CERT_HAS_EXPIRED' }, 'egress', 'proxy_tls_failed'],
    [{ kind: 'worker_stalled' }, 'internal', 'worker_stalled'],
    [{ kind: 'internal_error', message: 'no secret could be opened' }, 'internal', 'internal_error'],
  ])('%j: %s, %s', (result, blame, error) => {
    expect(classifyAttempt(result)).toMatchObject({ kind: 'not_an_attempt', blame, error });
  });
});

describe('proxy responses to CONNECT', () => {
  const connect = (status: number, reasonSource?: ReasonSource, reason?: string, isNamed = false): SendResult => ({
    kind: 'proxy_answered_connect',
    ...{ status, isNamed, reason, reasonSource },
  });

  test.each([201, 202, 204, 299])(
    'a proxy response with status %i is blamed on the proxy, even with a valid reason',
    (status) => {
      expect(errorOf(connect(status))).toBe('proxy_confused');
      expect(errorOf(connect(status, 'x-egress-error', 'connection_refused'))).toBe('proxy_confused');
    },
  );

  test.each([302, 400, 403, 404, 407, 429, 500, 502, 503, 504])(
    'a proxy response with status %i and no reason is never blamed on the receiver',
    (status) => {
      expect(blameOf(connect(status))).toBe('egress');
    },
  );

  test.each([
    ['forbidden_address', 'policy'],
    ['forbidden_port', 'policy'],
    ['forbidden_destination', 'policy'],
    ['name_not_found', 'receiver'],
    ['name_lookup_failed', 'receiver'],
    ['connection_refused', 'receiver'],
    ['connection_timed_out', 'receiver'],
    ['connection_failed', 'receiver'],
    ['bad_request', 'egress'],
    ['overloaded', 'egress'],
    ['internal', 'egress'],
  ])('the reason %s from our proxy is blamed on %s', (token, blame) => {
    expect(blameOf(connect(502, 'x-egress-error', token))).toBe(blame);
    expect(blameOf(connect(403, 'x-egress-error', ` ${token} `))).toBe(blame);
  });

  test.each<[ReasonSource, missing: string, forbidden: string]>([
    ['x-egress-error', 'name_not_found', 'forbidden_address'],
    [
      'x-smokescreen-error',
      'Failed to resolve remote hostname: lookup a.example: no such host',
      "Egress proxying is denied to host 'a.example:443': The destination address (10.0.0.1) was denied by rule 'Deny: Private Range'. ",
    ],
  ])(
    'the header %s gives the same error for an internal host name as for a nonexistent one',
    (source, missing, forbidden) => {
      const verdict = classifyAttempt(connect(502, source, missing, true));
      expect(verdict).toMatchObject({ kind: 'failed', blame: 'receiver', error: 'name_not_found' });
      expect(classifyAttempt(connect(403, source, forbidden, true))).toEqual(verdict);
      expect(blameOf(connect(403, source, forbidden))).toBe('policy');
    },
  );

  test('our proxy uses 11 reason tokens', () => {
    expect(Object.keys(EGRESS_ERRORS)).toHaveLength(11);
  });

  test.each(['', 'whatever', 'Forbidden_Address', 'toString', 'forbidden_address,forbidden_port'])(
    'the invalid reason %j from our proxy is blamed on egress',
    (token) => {
      expect(errorOf(connect(403, 'x-egress-error', token))).toBe('proxy_refused');
    },
  );

  const DENIED = "Egress proxying is denied to host 'hooks.example.com:443': ";
  const FAILED = 'Failed to connect to remote host: ';

  test.each<[number, string, string, string]>([
    [
      407,
      `${DENIED}The destination address (10.0.0.1) was denied by rule 'Deny: Private Range'. destination address was denied by rule, see error.`,
      'policy',
      'forbidden_address',
    ],
    [
      407,
      `${DENIED}The destination address (127.0.0.1) was denied by rule 'Deny: Not Global Unicast'.`,
      'policy',
      'forbidden_address',
    ],
    [
      407,
      `${DENIED}no valid IP found among resolved addresses - 100.64.0.1 denied by rule 'Deny: CGNAT Range'. .`,
      'policy',
      'forbidden_address',
    ],
    [407, `${DENIED}Destination host cannot be determined.`, 'policy', 'forbidden_destination'],
    [407, `${DENIED}host matched rule in global deny list.`, 'policy', 'forbidden_destination'],
    [407, `${DENIED}default rule policy used.`, 'policy', 'forbidden_destination'],
    [407, `${DENIED}invalid domain "a!.example": disallowed rune U+0021.`, 'policy', 'forbidden_destination'],
    [
      407,
      `${DENIED}rule has enforce policy.  No such host? Permission denied? Ask us. `,
      'policy',
      'forbidden_destination',
    ],
    [407, `${DENIED}no rule matched.`, 'egress', 'proxy_internal'],
    [407, `${DENIED}unexpected policy value.`, 'egress', 'proxy_internal'],
    [429, 'maximum concurrent connect tunnels exceeded', 'egress', 'proxy_overloaded'],
    [407, `${DENIED}host did not match any allowed domain.`, 'policy', 'forbidden_destination'],
    [407, `${DENIED}rule has enforce policy. Ask the network team.`, 'policy', 'forbidden_destination'],
    [407, `${DENIED}Client role cannot be determined.`, 'egress', 'proxy_internal'],
    [407, `${DENIED}Internal error.`, 'egress', 'proxy_internal'],
    [407, `${DENIED}unable to parse destination host.`, 'egress', 'proxy_bad_request'],
    [502, `${FAILED}lookup nowhere.example on 10.0.0.2:53: no such host`, 'receiver', 'name_not_found'],
    [
      502,
      'Failed to resolve remote hostname: lookup nowhere.example on 10.0.0.2:53: no such host',
      'receiver',
      'name_not_found',
    ],
    [
      504,
      'Timed out connecting to remote host: lookup slow.example on 10.0.0.2:53: i/o timeout',
      'receiver',
      'name_lookup_failed',
    ],
    [502, `${FAILED}dial tcp 192.0.2.1:443: connect: operation not permitted`, 'egress', 'proxy_internal'],
    [502, `${FAILED}dial tcp 192.0.2.1:443: connect: permission denied`, 'egress', 'proxy_internal'],
    [502, `${FAILED}dial tcp [2001:db8::1]:443: connect: permission denied`, 'receiver', 'connection_failed'],
    [500, 'An unexpected error occurred: no IPs resolved', 'receiver', 'name_not_found'],
    [502, `${FAILED}lookup broken.example on 10.0.0.2:53: server misbehaving`, 'receiver', 'name_lookup_failed'],
    [
      504,
      'Timed out connecting to remote host: lookup slow.example: read udp 10.0.0.5:999->10.0.0.2:53: i/o timeout',
      'receiver',
      'name_lookup_failed',
    ],
    [
      502,
      `${FAILED}lookup a.example on 127.0.0.53:53: read udp 127.0.0.1:9->127.0.0.53:53: read: connection refused`,
      'egress',
      'proxy_internal',
    ],
    [502, `${FAILED}dial tcp 192.0.2.1:443: connect: connection refused`, 'receiver', 'connection_refused'],
    [
      504,
      'Timed out connecting to remote host: dial tcp 192.0.2.1:443: i/o timeout',
      'receiver',
      'connection_timed_out',
    ],
    [502, `${FAILED}dial tcp 192.0.2.1:443: connect: no route to host`, 'receiver', 'connection_failed'],
    [502, `${FAILED}dial tcp 192.0.2.1:443: socket: too many open files`, 'egress', 'proxy_overloaded'],
    [500, 'An unexpected error occurred: something new', 'egress', 'proxy_refused'],
    [503, '', 'egress', 'proxy_refused'],
  ])('status %i with %s from Smokescreen is blamed on %s as %s', (status, text, blame, error) => {
    expect(blameOf(connect(status, 'x-smokescreen-error', text))).toBe(blame);
    expect(errorOf(connect(status, 'x-smokescreen-error', text))).toBe(error);
  });

  test.each<[number, string, string, string]>([
    [403, 'ERR_ACCESS_DENIED 0', 'policy', 'forbidden_destination'],
    [403, 'ERR_OUR_OWN_DENY_PAGE 0', 'policy', 'forbidden_destination'],
    [503, 'ERR_OUR_OWN_DENY_PAGE 0', 'egress', 'proxy_refused'],
    [503, 'ERR_DNS_FAIL 0', 'receiver', 'name_lookup_failed'],
    [503, 'ERR_CONNECT_FAIL 111', 'receiver', 'connection_refused'],
    [503, 'ERR_CONNECT_FAIL 110', 'receiver', 'connection_timed_out'],
    [503, 'ERR_CONNECT_FAIL 113', 'receiver', 'connection_failed'],
    [503, 'ERR_CONNECT_FAIL 101', 'receiver', 'connection_failed'],
    [503, 'ERR_CONNECT_FAIL 0', 'receiver', 'connection_failed'],
    [503, 'ERR_CONNECT_FAIL', 'receiver', 'connection_failed'],
    [503, 'ERR_CONNECT_FAIL 24', 'egress', 'proxy_overloaded'],
    [503, 'ERR_CONNECT_FAIL 99', 'egress', 'proxy_overloaded'],
    [504, 'ERR_READ_TIMEOUT 0', 'receiver', 'connection_timed_out'],
    [407, 'ERR_CACHE_ACCESS_DENIED 0', 'egress', 'proxy_internal'],
    [403, 'ERR_FORWARDING_DENIED 0', 'egress', 'proxy_internal'],
    [500, 'ERR_CANNOT_FORWARD 0', 'receiver', 'name_lookup_failed'],
    [503, 'ERR_CANNOT_FORWARD 0', 'egress', 'proxy_internal'],
    [503, 'ERR_SHUTTING_DOWN 0', 'egress', 'proxy_overloaded'],
    [400, 'ERR_INVALID_REQ 0', 'egress', 'proxy_bad_request'],
    [403, 'denied', 'egress', 'proxy_refused'],
  ])('status %i with %s from Squid is blamed on %s as %s', (status, text, blame, error) => {
    expect(blameOf(connect(status, 'x-squid-error', text))).toBe(blame);
    expect(errorOf(connect(status, 'x-squid-error', text))).toBe(error);
  });

  test('a proxy response is never a success, and counts as an attempt only if it gives a reason', () => {
    const status = fc.integer({ min: 100, max: 999 });
    const source = fc.option(fc.constantFrom(...REASON_HEADERS), { nil: undefined });
    const known = fc.constantFrom(...(Object.keys(EGRESS_ERRORS) as EgressError[]));
    const reason = fc.option(fc.oneof(fc.string(), known, fc.constant('ERR_DNS_FAIL 0')), { nil: undefined });
    fc.assert(
      fc.property(status, source, reason, (code, reasonSource, text) => {
        const verdict = classifyAttempt({
          kind: 'proxy_answered_connect',
          status: code,
          isNamed: false,
          reason: text,
          reasonSource,
        });
        expect(verdict.kind).not.toBe('succeeded');
        if (reasonSource === undefined || text === undefined) expect(verdict.kind).toBe('not_an_attempt');
        if (verdict.kind === 'failed') expect(verdict.status).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  test('the logged reason of a proxy response has fewer than 400 characters', () => {
    const verdict = classifyAttempt(connect(502, 'x-squid-error', 'x'.repeat(100_000)));
    expect(verdict.kind === 'not_an_attempt' && verdict.reason.length).toBeLessThan(400);
  });
});
