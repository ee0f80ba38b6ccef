import { describe, expect, test } from '@jest/globals';
import { explainChatFailure, requestedWait } from './chat-response.js';

describe('requestedWait', () => {
  test.each([
    ['a number of whole seconds', '30', null, 30_000, false],
    ['a number of decimal seconds', '1.337', null, 1_337, false],
    ['less than a second', '0', null, 1_000, false],
    [
      "a longer wait in the body of Discord's response",
      '1',
      '{"message":"…","retry_after":64.57,"global":false}',
      64_570,
      false,
    ],
    ['a global Discord limit', '65', '{"message":"…","retry_after":64.57,"global":true}', 65_000, true],
    ['more than an hour', '86400', null, 3_600_000, false],
  ])('accepts %s', (_, retryAfter, body, waitMs, isGlobal) => {
    expect(requestedWait('discord', { host: 'discord.com', status: 429, retryAfter, body })).toEqual({
      waitMs,
      isGlobal,
    });
  });

  test.each([
    ['missing', undefined, null],
    ['not a number', 'soon', 'not JSON'],
    ['a negative number', '-1', '{"retry_after":-1}'],
    ['missing, because the body is an array', undefined, '[]'],
  ])('no wait is requested if the duration is %s', (_, retryAfter, body) => {
    expect(requestedWait('slack', { host: 'hooks.slack.com', status: 429, retryAfter, body })).toBeUndefined();
  });

  test('only a response with status 429 requests a wait', () => {
    const answer = { host: 'hooks.slack.com', status: 503, retryAfter: '30', body: null };
    expect(requestedWait('slack', answer)).toBeUndefined();
  });

  test.each([
    ['discord', 'discord.com.attacker.example'],
    ['discord', 'discord.com:8443'],
    ['slack', 'hooks.slack.com'],
    ['slack', 'discord.com'],
  ] as const)('other %s channels are not delayed after a response from %s', (kind, host) => {
    const answer = { host, status: 429, retryAfter: '5', body: '{"retry_after":5,"global":true}' };
    expect(requestedWait(kind, answer)).toEqual({ waitMs: 5_000, isGlobal: false });
  });
});

describe('explainChatFailure', () => {
  const failed = (status?: number) =>
    ({
      kind: 'failed',
      blame: 'receiver',
      error: 'unexpected_status',
      reason: '…',
      ...(status && { status }),
    }) as const;

  test.each([
    ['slack', 404, 'no_service', 'address_revoked', /removed in Slack/],
    ['slack', 403, 'invalid_token', 'address_revoked', /token at the end of the URL/],
    ['slack', 404, 'channel_not_found', 'channel_unavailable', /no longer exists/],
    ['slack', 410, 'channel_is_archived\n', 'channel_unavailable', /is archived/],
    ['slack', 403, 'action_prohibited', 'posting_forbidden', /administrator/],
    ['slack', 404, '<html>', 'address_revoked', /Slack no longer recognizes this URL/],
    ['discord', 404, '{"message":"Unknown Webhook","code":10015}', 'address_revoked', /deleted in Discord/],
    ['discord', 401, '{"code":50027}', 'address_revoked', /token at the end of the URL/],
    ['discord', 400, '{"code":220001}', 'message_refused', /thread_id/],
    ['discord', 410, null, 'address_revoked', /Discord no longer recognizes this URL/],
  ] as const)('the %s response with status %i and body %s is explained', (kind, status, body, error, reason) => {
    const verdict = explainChatFailure(kind, failed(status), body);
    expect(verdict).toMatchObject({ kind: 'failed', blame: 'receiver', error, status });
    expect(verdict.reason).toMatch(reason);
  });

  test('a response without an explanation does not change the verdict', () => {
    expect(explainChatFailure('slack', failed(500), 'no_text_of_ours')).toEqual(failed(500));
    expect(explainChatFailure('discord', failed(502), '<html>')).toEqual(failed(502));
    expect(explainChatFailure('slack', failed(), null)).toEqual(failed());
  });
});
