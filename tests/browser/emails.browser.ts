import { signInProofs } from '@artist-watch/domain/account/credentials';
import { unsubscribeProofs } from '@artist-watch/domain/account/mail-preferences';
import { memberMails } from '@artist-watch/mail/kinds/member-mails';
import { signInMails } from '@artist-watch/mail/kinds/sign-in';
import { type LetterContext, letterHtml } from '@artist-watch/mail/letter';
import { expect, test } from '@jest/globals';
import { inspect } from './inspect.js';
import { useStage } from './stage.js';

const stage = useStage();
const KEY = new Uint8Array(32);
const KINDS = { ...signInMails(signInProofs(KEY), 'Deezer'), ...memberMails(unsubscribeProofs(KEY), 20) };
const AT = '2026-11-26T20:07:00Z';
const MEMBER = { account: 'acc_1', member: 'mem_1' };
const CONTEXT: LetterContext = {
  link: (path) => `https://watch.example${path}`,
  ...{ recipient: 'mei@label.example', accountName: 'Fernlight Records', zone: 'Europe/Berlin', now: new Date(AT) },
};
const CHANGES = ['Flowers', 'שלום'].map((name, index) => ({
  ...{ id: `chg_${index}`, type: 'release_removed', severity: index === 0 ? 'critical' : 'warning' },
  ...{ artist: 'The Endless Engines', release: name, status: 'open', assignee: null },
  summary: `“${name}” by The Endless Engines was removed from Deezer.`,
}));

const MAILS: Readonly<Record<string, readonly [kind: keyof typeof KINDS, data: object]>> = {
  'sign-in': ['sign_in', { request: 'sgn_1' }],
  removal: [
    'critical_changes',
    {
      ...{ ...MEMBER, artist: 'The Endless Engines', count: 1, changes: CHANGES.slice(0, 1) },
      first: {
        ...{ ...CHANGES[0], platform: 'deezer', artistId: 'art_1', artistName: 'The Endless Engines', checks: 3 },
        ...{ entityType: 'release', entityId: '5100031', entityName: 'Flowers', difference: null },
        ...{ detectedAt: AT, confirmedAt: AT, recordedAt: AT },
      },
    },
  ],
  changes: ['critical_changes', { ...MEMBER, artist: 'The Endless Engines', count: 150, changes: CHANGES }],
  'switch-off': [
    'destination_failing',
    { ...MEMBER, destination: 'dst_1', name: '#alerts', isOff: true, failures: 20, waiting: 3, first: 'ntc_1' },
  ],
  digest: [
    'digest',
    {
      ...{ ...MEMBER, cadence: 'daily', since: AT, until: AT, firstDay: '2026-11-25', lastDay: '2026-11-25' },
      ...{ artists: 486, readings: 46_560, complete: 485, missingCount: 1, missing: ['311'] },
      ...{ changeCount: 2, criticalCount: 1, changes: CHANGES },
    },
  ],
  'new-key': [
    'new_key',
    { account: 'acc_1', hint: 'aw_live_4f2A', at: AT, by: 'ann@label.example', name: 'Warehouse' },
  ],
};

test.each(Object.entries(MAILS))(
  'the email %s has enough contrast in light and dark mode, and every button is at least 44 px high',
  async (name, [kind, data]) => {
    const page = await stage.visitor();
    await page.setContent(letterHtml(KINDS[kind].write(data, CONTEXT), CONTEXT.accountName));
    const heights = await page
      .locator('a[style*=background]')
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().height));
    expect(heights.filter((height) => height < 44)).toEqual([]);
    expect(await inspect(page, `email-${name}`)).toEqual([]);
  },
);
