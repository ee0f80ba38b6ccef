import { describe, expect, test } from '@jest/globals';
import { type ChangeMessage, discordMessage, slackMessage } from './change-message.js';

const change: ChangeMessage = {
  changeId: 'chg_019e0f2a1b40c5d6e7f8091a2b3c4d5e',
  artist: 'Nina Vale',
  entityType: 'release',
  entityName: 'Night Drive',
  severity: 'critical',
  changeType: 'release_removed',
  summary: '“Night Drive” by Nina Vale was removed from Deezer.',
  detectedAt: new Date('2026-05-01T11:30:45.000Z'),
};

/** Changing these bytes would also change the bodies of deliveries that are being retried. */
test('a Slack message has exactly these bytes', () => {
  expect(slackMessage(change)).toBe(
    '{"text":"“Night Drive” by Nina Vale was removed from Deezer.",' +
      '"mrkdwn":false,"unfurl_links":false,"unfurl_media":false,"blocks":[' +
      '{"type":"section","text":{"type":"plain_text","text":"“Night Drive” by Nina Vale was removed from Deezer.","emoji":false}},' +
      '{"type":"context","elements":[{"type":"plain_text","text":"Critical · first missing 1 May 2026, 11:30 UTC · chg_019e0f2a1b40c5d6e7f8091a2b3c4d5e","emoji":false}]}]}',
  );
});

test('a Discord message has exactly these bytes', () => {
  expect(discordMessage(change)).toBe(
    '{"allowed_mentions":{"parse":[]},"embeds":[{"title":"“Night Drive” by Nina Vale was removed from Deezer","color":12986408,' +
      '"timestamp":"2026-05-01T11:30:45.000Z","fields":[{"name":"First missing","value":"1 May 2026\\\\, 11\\\\:30 UTC","inline":true},' +
      '{"name":"Severity","value":"Critical","inline":true}],"footer":{"text":"chg_019e0f2a1b40c5d6e7f8091a2b3c4d5e"}}]}',
  );
});

test('a message links to the page of the change, if there is one', () => {
  const link = 'https://watch.example/a/acc_1/changes/chg_1';
  const { blocks } = JSON.parse(slackMessage({ ...change, link }));
  expect(blocks.at(-1).elements[0].elements).toEqual([{ type: 'link', url: link, text: 'View change' }]);
  expect(JSON.parse(discordMessage({ ...change, link })).embeds[0].url).toBe(link);
});

describe('messages that contain external names', () => {
  const slackTexts = (message: string) => [...message.matchAll(/"text":"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => text);

  test.each([
    ['Slack commands', '<!channel> <@U024BE7LH> <https://evil.example|click>', /[<>]/],
    ['bare URLs', 'https://evil.example and www.evil.example', /:\/\/|www\.[^\u2060]/],
    ['directional controls', 'abc\u202egnp.exe\u2066\u200f', /[\u202e\u2066\u200f]/],
    ['control characters or line breaks', 'a\u0000b\u001b[31m\r\nc\u2028d\u0085e', /\\u00|\\n|\\r|\u2028|\u0085/],
    ['unpaired surrogates', 'a\ud83d', /\\ud83d/],
  ])('a Slack message contains no %s', (_, name, never) => {
    const message = slackMessage({ ...change, entityName: name, artist: name, summary: name });
    for (const text of slackTexts(message)) expect(text).not.toMatch(never);
  });

  test.each(['@everyone', '<@&123>', '*bold*', '`code`', '[x](https://evil.example)', '||spoiler||', '# big', '\\*'])(
    'every special character in a Discord message is escaped: %s',
    (name) => {
      const { embeds } = JSON.parse(discordMessage({ ...change, artist: name, summary: name }));
      expect(embeds[0].description).toBe([...name].map((one) => (/[\w\s]/.test(one) ? one : `\\${one}`)).join(''));
    },
  );

  test("names are truncated to the platform's limits, never inside a character or an escape", () => {
    const name = '*😀'.repeat(400);
    const { embeds } = JSON.parse(discordMessage({ ...change, entityName: name, artist: name }));
    expect(embeds[0].title.length).toBeLessThanOrEqual(256);
    expect(embeds[0].title).toMatch(/^Release removed\\: (?:\\\*😀)+(?:\\\*)?…$/u);
    const { blocks } = JSON.parse(slackMessage({ ...change, entityName: '&'.repeat(400) }));
    expect(blocks[0].text.text).toMatch(/^Release removed: (?:&amp;)+…$/);
    expect(blocks[0].text.text.length).toBeLessThanOrEqual(150);
  });

  test('a message keeps the zero-width joiners that scripts and emoji need', () => {
    expect(slackMessage({ ...change, summary: '👩‍🎤 می‌خواهم' })).toContain('👩‍🎤 می‌خواهم');
  });

  test('a message keeps the flag of Scotland, but not tag characters that hide text', () => {
    const scotland = '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}';
    const summary = `Runrig ${scotland}a\u{E0062}\u{E0063}`;
    expect(JSON.parse(slackMessage({ ...change, summary })).blocks[1].text.text).toBe(`Runrig ${scotland}a`);
  });

  // Slack rejects empty texts, so retries would fail too.
  test.each(['\u200b', '\u3164', '\u2060 \u00ad'])(
    'a Slack message contains no empty text, even if a name is invisible (%j)',
    (summary) => {
      const message = slackMessage({ ...change, summary });
      expect(slackTexts(message)).not.toContain('');
      expect(JSON.parse(message).blocks.map(({ type }: { type: string }) => type)).toEqual(['header', 'context']);
    },
  );
});

test("the title contains the artist's name once if another detector reports a change to the artist without naming it", () => {
  const odd = { changeType: 'isrc__odd', entityType: 'artist', entityName: 'Nina Vale', summary: 'Odd.' } as const;
  const message = slackMessage({ ...change, ...odd });
  expect(JSON.parse(message).blocks[0].text.text).toBe('ISRC odd: Nina Vale');
});

test('a message describes the change only once if the summary names the entity', () => {
  expect(slackMessage(change).match(/Night Drive/g)).toHaveLength(2);
  expect(discordMessage(change).match(/Night Drive/g)).toHaveLength(1);
  const reported = { ...change, summary: 'It was removed.' };
  for (const message of [slackMessage(reported), discordMessage(reported)]) {
    expect(message).toContain('Night Drive by Nina Vale');
    expect(message).toContain('It was removed');
  }
});
