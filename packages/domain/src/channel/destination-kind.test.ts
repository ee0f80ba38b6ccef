import { expect, test } from '@jest/globals';
import { readChatAddress } from './destination-kind.js';

test.each([
  ['slack', 'https://hooks.slack.com/services/T0/B0/abcDEF123', 'https://hooks.slack.com/services/T0/B0/abcDEF123'],
  ['slack', 'HTTPS://HOOKS.SLACK-GOV.COM/services/T0/B0/a/', 'https://hooks.slack-gov.com/services/T0/B0/a'],
  ['discord', 'https://discord.com/api/webhooks/12/a-_B', 'https://discord.com/api/v10/webhooks/12/a-_B?wait=true'],
  [
    'discord',
    'https://ptb.discord.com/api/v6/webhooks/12/a',
    'https://ptb.discord.com/api/v10/webhooks/12/a?wait=true',
  ],
  [
    'discord',
    'https://discordapp.com/api/webhooks/12/a?thread_id=34',
    'https://discordapp.com/api/v10/webhooks/12/a?wait=true&thread_id=34',
  ],
] as const)('%s accepts %s', (kind, text, requestUrl) => {
  expect(readChatAddress(kind, text)).toMatchObject({ requestUrl, isPlatform: true });
});

test.each([
  ['slack', 'https://hooks.slack.com/triggers/T0/B0/abc'],
  ['slack', 'https://hooks.slack.com/services/T0/B0'],
  ['slack', 'https://hooks.slack.com/services/T0/B0/abc?x=1'],
  ['slack', 'https://hooks.slack.com/services/T0/B0/abc/../../x'],
  ['slack', 'https://user@hooks.slack.com/services/T0/B0/abc'],
  ['slack', 'https://hooks.slack.com/services/T0/B0/a bc'],
  ['discord', 'https://discord.com/api/webhooks/12'],
  ['discord', 'https://discord.com/api/webhooks/12/a/slack'],
  ['discord', 'https://discord.com/api/webhooks/12/a?wait=false'],
  ['discord', 'not an address'],
] as const)('%s does not accept %s', (kind, text) => {
  expect(readChatAddress(kind, text)).toBeUndefined();
});

test.each([
  'http://hooks.slack.com/services/T0/B0/a',
  'https://hooks.slack.com:8443/services/T0/B0/a',
  'https://hooks.slack.com.evil.example/services/T0/B0/a',
  'https://evil.example/services/T0/B0/a',
])('%s does not belong to Slack', (text) => {
  expect(readChatAddress('slack', text)?.isPlatform).toBe(false);
});

test('the displayed URL does not contain the secret', () => {
  expect(readChatAddress('slack', 'https://hooks.slack.com/services/T0/B0/abc')?.shownUrl).toBe(
    'https://hooks.slack.com/services/T0/B0/…',
  );
  expect(readChatAddress('discord', 'https://discord.com/api/webhooks/12/abc')?.shownUrl).toBe(
    'https://discord.com/api/webhooks/12/…',
  );
});
