import { expect, test } from '@jest/globals';
import { letterHtml, letterText, shown } from './letter.js';

test.each([
  ['“שלום 3” by Nina Vale was removed from Deezer', '“\u2068שלום 3\u2069” by Nina Vale was removed from Deezer'],
  ['قلبي and 3 more', '\u2068قلبي\u2069 and 3 more'],
  ['Not checked: אבא, אמא, Nina', 'Not checked: \u2068אבא\u2069, \u2068אמא\u2069, Nina'],
  ['Die 3 Träume', 'Die 3 Träume'],
])('right-to-left words in “%s” are isolated from the words around them', (text, isolated) => {
  expect(shown(text)).toBe(isolated);
  expect(shown(shown(text))).toBe(isolated);
});

test('the HTML of an email is left-to-right, supports dark mode and escapes text', () => {
  const letter = { subject: '<b>', parts: [{ kind: 'text', text: shown('“שלום” & <i>') }] } as const;
  const html = letterHtml(letter, 'Label <i>');
  expect(html).toMatch(/<html lang="en" dir="ltr">.*prefers-color-scheme: dark/s);
  expect(html).toContain('“\u2068שלום\u2069” &amp; &lt;i>');
  expect(html).not.toMatch(/<[bi]>(?!Artist Watch)/);
  expect(letterText(letter)).toBe('“\u2068שלום\u2069” & <i>\n');
});
