import { describe, expect, test } from '@jest/globals';
import { type ComponentChildren, h } from 'preact';
import { render } from 'preact-render-to-string';
import { exactTime, Instant } from '../views/instant.js';
import { markup, type Reader, renderFor } from '../views/markup.js';
import { PlanTooSmall } from '../views/states.js';
import { ChecksTable, type ShownCheck } from '../views/table.js';
import { destinationTitle } from '../views/text.js';
import { elementsOf, gallery } from './gallery.js';

const now = new Date('2026-11-20T12:00:00Z');
const reader: Reader = { zone: 'Europe/Berlin', now, icons: '/assets/icons.svg', platformName: 'Deezer' };
const EXACT_PARTS = {
  ...({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const),
  ...({ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const),
};
const htmlOf = (view: ComponentChildren) => renderFor(reader, () => markup(view));

test.each(['x', `"'&<b>"`, ''])('our HTML with the text %j is the same as the HTML that Preact renders', (text) => {
  const byPreact = renderFor(reader, () => render(gallery(text, now)));
  expect(htmlOf(gallery(text, now))).toBe(byPreact);
});

describe('untrusted text never becomes markup in any component', () => {
  const elementsWith = (text: string) => elementsOf(htmlOf(gallery(text, now)));
  const clean = elementsWith('x');

  test.each([
    '<script>alert(1)</script>',
    '"onload="alert(1)',
    "'onerror='alert(1)",
    '</pre></textarea></title><img src=x onerror=alert(1)>',
    '\u202egnp.exe',
    '=HYPERLINK("https://attacker.example")',
    'javascript:alert(1)',
  ])('%j', (text) => {
    expect(elementsWith(text)).toEqual(clean);
  });
});

test('the message about a plan limit links to UPGRADE_URL, or refers to our support', () => {
  const view = h(PlanTooSmall, { what: 'Channels', plan: 'pro', has: ({ destinations }) => destinations > 0 });
  expect(htmlOf(view)).toContain('To upgrade, contact our support.');
  const upgradeUrl = 'mailto:sales@label.example';
  expect(renderFor({ ...reader, upgradeUrl }, () => markup(view))).toContain(`<a href="${upgradeUrl}">Upgrade</a>`);
});

test('no component has inline styles or scripts, because the content security policy would block them', () => {
  const html = htmlOf(gallery('x', now));
  expect(html).not.toMatch(/<style|<script|\sstyle=|\son[a-z]+=/);
});

test('`markup` removes directional control characters and JSON values that look like elements', () => {
  const value = JSON.parse(
    '{"type":"script","props":{"children":"alert(1)","dangerouslySetInnerHTML":{"__html":"<b>"}}}',
  );
  expect(markup(h('p', { title: 'a\u202eb' }, value, 'c\u2066d', 0, false, null))).toBe('<p title="ab">cd0</p>');
});

test.each([
  ['2026-11-20T11:59:40Z', 'just now'],
  ['2026-11-20T11:55:00Z', '5 minutes ago'],
  ['2026-11-20T12:05:00Z', 'in 5 minutes'],
  ['2026-11-20T09:00:00Z', '3 hours ago'],
  ['2026-11-19T11:00:00Z', 'yesterday'],
  ['2026-08-01T22:30:00Z', '2 Aug 2026'],
])('%s is shown as "%s", with the exact time in the time zone of the member', (instant, text) => {
  const html = htmlOf(h(Instant, { at: new Date(instant) }));
  expect(html).toContain(`>${text}</time>`);
  expect(html).toMatch(/title="\w{3}, \d+ \w+ 2026, \d\d:\d\d:\d\d (?:CET|CEST|GMT\+[12])"/);
});

test.each([
  ['2026-11-20T11:59:00Z', 5, '<td data-label="Earliest confirmation">after the next check</td>'],
  ['2026-11-20T11:59:00Z', 4, '<td data-label="Earliest confirmation">after the next check</td>'],
  ['2026-11-20T11:59:00Z', 3, '<td data-label="Earliest confirmation">after 2 more checks</td>'],
  ['2026-11-20T12:05:00Z', 3, '>in 5 minutes</time>'],
])(
  'a table never shows a past time as the earliest confirmation (%s, %i of 5 observations)',
  (certainAt, counted, shown) => {
    const check: ShownCheck = {
      ...{
        type: 'release_removed',
        severity: 'critical' as const,
        artistId: 'art_1',
        artistName: 'Nina',
        entityName: 'Flowers',
      },
      ...{ held: true, since: now, lastObservedAt: now, counted, needed: 5, certainAt: new Date(certainAt) },
    };
    expect(htmlOf(h(ChecksTable, { checks: [check] }))).toContain(shown);
  },
);

test('a long URL is shortened in the middle', () => {
  const url = `https://hooks.label.example/${'a'.repeat(60)}/production`;
  expect(destinationTitle({ name: 'Warehouse', url })).toBe('Warehouse');
  expect(destinationTitle({ name: null, url: 'https://hooks.label.example/in' })).toBe(
    'https://hooks.label.example/in',
  );
  expect(destinationTitle({ name: null, url })).toMatch(/^https:\/\/hooks\.label\.example\/a+…a+\/production$/);
  expect(destinationTitle({ name: null, url })).toHaveLength(60);
});

test.each(['Europe/Berlin', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns'])(
  'the exact time in %s is correct to the second, even when the clocks change',
  (zone) => {
    const start = Date.parse('2026-01-01T00:00:00Z');
    const options = { ...EXACT_PARTS, timeZone: zone } as const;
    // The step is a prime number of seconds, so the samples cover every minute and second.
    for (let at = start; at < start + 366 * 86_400_000; at += 104_729_000) {
      // The locale's only month with four letters is shortened like the others.
      const text = new Intl.DateTimeFormat('en-GB', options).format(at).replace('Sept', 'Sep');
      expect(exactTime(new Date(at), zone)).toBe(text);
    }
  },
);
