import { unsubscribeProofs } from '@artist-watch/domain/account/mail-preferences';
import { CHANGE_TYPES, type DetectedChangeType } from '@artist-watch/domain/change/change-types';
import { makeDifference } from '@artist-watch/domain/change/difference';
import { expect, test } from '@jest/globals';
import { type LetterContext, letterHtml, letterText } from '../letter.js';
import { memberMails } from './member-mails.js';

const kinds = memberMails(unsubscribeProofs(new Uint8Array(32)), 20);
const context: LetterContext = {
  link: (path) => `https://watch.example${path}`,
  ...{ recipient: 'mei@label.example', accountName: 'Fernlight Records', zone: 'Europe/Berlin', now: new Date(0) },
};
const ARTWORK = '0123456789abcdef0123456789abcdef';
const RELEASE = {
  ...{ platformId: '5100031', title: 'Flowers', type: 'album', releaseDate: '2025-09-12', upc: '4059990017296' },
  ...{ trackCount: 12, label: 'Fernlight Records', artworkId: ARTWORK },
};

function givenChange(type: DetectedChangeType, { name = 'Flowers', before = null as object | null } = {}) {
  const { entityType, severity } = CHANGE_TYPES[type];
  return {
    ...{ id: 'chg_1', type, severity, platform: 'deezer', artistId: 'art_1', artistName: 'The Endless Engines' },
    ...{ entityType, entityId: '5100031', entityName: name, checks: 3 },
    summary: `“${name}” by The Endless Engines was removed from Deezer.`,
    ...{ detectedAt: '2026-11-26T19:07:00Z', confirmedAt: '2026-11-26T19:37:00Z', recordedAt: '2026-11-26T19:37:00Z' },
    difference: makeDifference({ type, entityId: '5100031', entityName: name, before: before as never }),
  };
}

function letterOf(first: ReturnType<typeof givenChange>, count = 1) {
  const { id, type, summary, artistName: artist } = first;
  const data = { account: 'acc_1', member: 'mem_1', artist, count, changes: [{ id, type, summary }], first };
  return kinds.critical_changes.write(data, context);
}

test('an email about a removed release contains the facts, the cover, one button and the text for the distributor', () => {
  const letter = letterOf(givenChange('release_removed', { before: RELEASE }));
  expect(letter.subject).toBe('“Flowers” by The Endless Engines was removed from Deezer');
  const text = letterText(letter);
  expect(text).toContain(
    [
      'Severity: Critical',
      'First missing: 26 Nov 2026, 20:07 CET',
      'Confirmed by: 3 checks within 30 minutes',
      'Label: Fernlight Records',
      'UPC: 4059990017296',
      'Release date: 12 Sep 2025',
      'Tracks: 12',
      '',
      'View change: https://watch.example/a/acc_1/changes/chg_1',
      '',
      'TEXT FOR YOUR DISTRIBUTOR',
    ].join('\n'),
  );
  expect(text).toContain("This release is no longer available on Deezer, and we didn't request its removal:");
  expect(text).toContain('Deezer link: https://www.deezer.com/album/5100031');
  const html = letterHtml(letter, context.accountName);
  expect(html).toMatch(
    new RegExp(`<img src="https://cdn-images.dzcdn.net/images/cover/${ARTWORK}/[^"]+" alt="Cover of Flowers"`),
  );
  expect(html.match(/class="button"/g)).toHaveLength(1);
});

test('an email about a changed label has no picture and no text for the distributor', () => {
  const letter = letterOf(givenChange('label_changed'));
  expect(letter.parts.map(({ kind }) => kind)).toEqual(['title', 'text', 'facts', 'action', 'small']);
  expect(letter.subject).toBe('The label of “Flowers” by The Endless Engines changed on Deezer');
});

test('an email about a critical change contains the text for the distributor, with the UPC, the label and the ISRC', () => {
  const facts = {
    label: 'Fernlight Records',
    upc: '4059990017296',
    tracks: [{ title: 'Flowers', isrc: 'ZZFLR2500001' }],
  };
  const changed = givenChange('artist_name_changed');
  const isrc = givenChange('isrc_changed');
  for (const first of [changed, { ...isrc, difference: { ...isrc.difference, facts } }]) {
    const text = letterText(letterOf(first));
    expect(text).toContain('TEXT FOR YOUR DISTRIBUTOR');
    if (first === changed) continue;
    expect(text).toContain('Label: Fernlight Records\nUPC: 4059990017296\n');
    expect(text).toContain(
      'Please restore the old ISRC of “Flowers” by The Endless Engines (UPC 4059990017296) on Deezer',
    );
  }
});

test('the subject of an email about lost markets contains their number', () => {
  const first = givenChange('availability_reduced');
  const difference = { ...first.difference, before: ['AT', 'CH', 'DE'], after: ['DE'] };
  const letter = letterOf({ ...first, difference: difference as never });
  expect(letter.subject).toBe('“Flowers” by The Endless Engines was removed from 2 of 3 markets on Deezer');
  expect(letterText(letter)).toContain('Still available in: DE\nRemoved from 2 of 3 markets: AT, CH\n');
});

test.each(Object.keys(CHANGE_TYPES) as DetectedChangeType[])(
  'the subject of an email about %s contains the name and the platform',
  (type) => {
    const { subject } = letterOf(givenChange(type));
    expect(subject).toContain(CHANGE_TYPES[type].entityType === 'artist' ? 'The Endless Engines' : '“Flowers”');
    expect(subject.split('Deezer')).toHaveLength(2);
    expect(letterOf(givenChange(type), 3).subject).toBe(`${subject}, and 2 more changes`);
  },
);

test("the subject names the platform even if the title already contains the platform's name", () => {
  const { subject } = letterOf(givenChange('label_changed', { name: 'Live on Deezer' }));
  expect(subject).toBe('The label of “Live on Deezer” by The Endless Engines changed on Deezer');
});

test('names in the text for the distributor do not contain links or line breaks', () => {
  const name = 'Flowers\nhttps://evil.example';
  const first = givenChange('release_removed', { name, before: { ...RELEASE, label: name } });
  const letter = letterOf(first);
  expect(letterText(letter)).not.toMatch(/https:\/\/evil|^https:/m);
});

const AT = '2026-11-25T19:37:00.000Z';

const DIGEST = {
  ...{ account: 'acc_1', member: 'mem_1', cadence: 'daily' },
  ...{ since: '2026-11-25T07:00:00Z', until: '2026-11-26T07:00:00Z' },
  ...{ artists: 2, readings: 48, complete: 47, missingCount: 0, missing: [], changes: [] as object[] },
};

test('a digest has the same rows as the dashboard, grouped by artist, and its subject counts the open changes', () => {
  const change = (type: string, entityId: string, more: object = {}) => ({
    ...{ id: `chg_${type}_${entityId}`, type, severity: 'critical', summary: 'Not shown.', confirmedAt: AT },
    ...{ artist: 'Nina Vale', artistId: 'art_1', status: 'open', assignee: null },
    ...{ entityType: type.startsWith('track') ? 'track' : 'release', entityId, entityName: `Title ${entityId}` },
    ...{ releaseId: null, releaseName: null, ...more },
  });
  const ofFlowers = { releaseId: '1', releaseName: 'Title 1' };
  const changes = [
    change('release_removed', '1'),
    change('track_removed', '11', ofFlowers),
    change('track_removed', '12', ofFlowers),
    change('label_changed', '2', { status: 'handled', assignee: 'idris@label.example' }),
    change('upc_changed', '2', { status: 'handled', assignee: 'idris@label.example' }),
    change('release_added', '3', { artist: 'שלום', artistId: 'art_2', severity: 'info' }),
  ];
  const counts = { changeCount: 8, criticalCount: 6, openCount: 6, openCriticalCount: 5 };
  const letter = kinds.digest.write({ ...DIGEST, ...counts, changes }, context);
  // Two of the changes are not in the email, so they are counted individually.
  expect(letter.subject).toBe('Daily digest for Fernlight Records: 4 of 5 changes are open, 3 of them critical');
  const text = letterText(letter);
  expect(text).toContain(
    [
      ...['Nina Vale', '  Title 1 removed, with 2 tracks', '  Critical, open'],
      '  https://watch.example/a/acc_1/changes/chg_release_removed_1',
      ...['  Title 2 label and UPC changed', '  Critical, handled, idris@label.example'],
      '  https://watch.example/a/acc_1/changes/chg_label_changed_2',
      ...['', '\u2068שלום\u2069', '  Title 3 added', '  Info, open'],
    ].join('\n'),
  );
  expect(text).not.toContain('Not shown');
  expect(text).toContain('View open changes: https://watch.example/a/acc_1/changes?status=open');
  expect(text).toContain('- And 2 more in the dashboard\n  https://watch.example/a/acc_1/changes');
});

test('a digest queued by the previous version lists the summaries of its changes', () => {
  const change = (id: string, release: string) => ({
    ...{
      id,
      severity: 'critical',
      summary: `${id} happened.`,
      artist: 'Nina Vale',
      release,
      status: 'open',
      assignee: null,
    },
  });
  const changes = [change('chg_1', 'Flowers'), change('chg_2', 'Flowers')];
  const counts = { changeCount: 2, criticalCount: 2, openCount: 2, openCriticalCount: 2 };
  const letter = kinds.digest.write({ ...DIGEST, ...counts, changes }, context);
  expect(letter.subject).toBe('Daily digest for Fernlight Records: 2 changes are open, all critical');
  expect(letterText(letter)).toContain('  chg_1 happened.\n  Critical, open\n');
  expect(letterText(letter)).toContain('  chg_2 happened.\n  Critical, open\n');
});

test.each([
  [{ changeCount: 0, criticalCount: 0, openCount: 0, openCriticalCount: 0 }, 'nothing changed'],
  [{ changeCount: 2, criticalCount: 2, openCount: 0, openCriticalCount: 0 }, '2 changes, none open'],
  [{ changeCount: 2, criticalCount: 2, openCount: 1, openCriticalCount: 0 }, '1 of 2 changes is open'],
  [{ changeCount: 1, criticalCount: 1, openCount: 1, openCriticalCount: 1 }, '1 change is open, and it is critical'],
  // Queued by the previous version.
  [{ changeCount: 3, criticalCount: 1 }, '3 changes are open, 1 of them critical'],
])('the subject of a digest with %j contains “%s”', (counts, text) => {
  const letter = kinds.digest.write({ ...DIGEST, ...counts }, context);
  expect(letter.subject).toBe(`Daily digest for Fernlight Records: ${text}`);
  expect(letter.parts.some(({ kind }) => kind === 'action')).toBe(/ (?:is|are) open/.test(text));
});

test('the subject of an email queued by the previous version contains the artist', () => {
  const changes = [{ id: 'chg_1', type: 'release_removed', summary: 'It was removed.' }];
  const letter = kinds.critical_changes.write(
    { account: 'acc_1', member: 'mem_1', artist: 'Nina Vale', changes },
    context,
  );
  expect(letter.subject).toBe('Changes: Nina Vale');
});

test('an email about several changes has a heading, and links to the changes that it does not list', () => {
  const letter = letterOf(givenChange('label_changed'), 150);
  const text = letterText(letter);
  expect(text).toMatch(/^150 changes to The Endless Engines\n/);
  expect(text).toContain('- And 149 more in the dashboard\n  https://watch.example/a/acc_1/changes?artist=art_1');
});

test('an email about a new API key names its creator and the key', () => {
  const data = { account: 'acc_1', hint: 'aw_live_4f2A', at: AT, by: 'mei@label.example', name: 'Warehouse' };
  expect(letterText(kinds.new_key.write(data, context))).toContain(
    'mei@label.example created the API key “Warehouse” in the account Fernlight Records on 25 Nov 2026, 20:37',
  );
});

test('an email about several changes lists them like the dashboard, with their severity, values and one button', () => {
  const common = { artist: 'Nina Vale', artistId: 'art_1', entityType: 'release', releaseId: null, confirmedAt: AT };
  const change = (type: string, entityId: string, severity: string) => ({
    ...{ ...common, id: `chg_${type}`, type, entityId, severity, entityName: 'Flowers' },
    summary: `The sentence about ${type}.`,
  });
  const changes = [
    change('upc_changed', '1', 'warning'),
    change('label_changed', '1', 'warning'),
    change('release_removed', '2', 'critical'),
  ];
  const data = { account: 'acc_1', member: 'mem_1', artists: [{ artist: 'Nina Vale', count: 4, changes }] };
  const letter = kinds.critical_summary.write(data, context);
  expect(letter.subject).toBe('4 more changes to 1 artist');
  expect(letterText(letter)).toContain(
    [
      ...[
        'Nina Vale',
        '  Flowers removed',
        '  Critical',
        '  https://watch.example/a/acc_1/changes/chg_release_removed',
      ],
      ...['  Flowers label and UPC changed', '  Warning', '  The sentence about upc_changed.'],
      ...['  The sentence about label_changed.', '  https://watch.example/a/acc_1/changes/chg_upc_changed', ''],
      ...['View changes: https://watch.example/a/acc_1/changes', '', '- And 1 more in the dashboard'],
    ].join('\n'),
  );
});

test('an email about an action begins with the member or the API key, and links to the page where it can be undone', () => {
  const data = { account: 'acc_1', action: 'change.shared', at: AT, actorKind: 'member', actor: 'mei@label.example' };
  const subject = '“Flowers” by Nina Vale was removed from Deezer.';
  const letter = kinds.account_action.write({ ...data, subject, isLast: false }, context);
  expect(letter.subject).toBe('Share link created: “Flowers” by Nina Vale was removed from Deezer');
  const text = letterText(letter);
  expect(text).toMatch(
    /^mei@label\.example created a share link for this change: “Flowers” by Nina Vale was removed from Deezer\. /,
  );
  expect(text).toContain(
    'View changes: https://watch.example/a/acc_1/changes\nSign out all browsers: https://watch.example/a/acc_1/settings#sessions',
  );
});

test('an email about a channel that was switched off names the cause and the next steps', () => {
  const data = { account: 'acc_1', member: 'mem_1', destination: 'dst_1', name: 'Royalty sync', isOff: true };
  const letter = kinds.destination_failing.write({ ...data, failures: 20, waiting: 2, lastStatus: 404 }, context);
  expect(letterText(letter)).toContain(
    'It failed 20 times in a row, so we switched it off. The last response was 404. We kept 2 changes for you',
  );
  expect(letterText(letter)).toContain('- Send a test.\n- Enable the channel.\n- Send the missed changes.');
});

test("an email about an artist's removed releases contains one text for the distributor, with every UPC", () => {
  const releases = ['4059990017296', '4059990017297'].map((upc, index) => {
    const id = `chg_${index}`;
    const full = givenChange('release_removed', { name: `Title ${index}`, before: { ...RELEASE, upc } });
    const entityId = `510003${index}`;
    return { ...full, id, entityId, artist: full.artistName, difference: { ...full.difference, entityId } };
  });
  const data = { account: 'acc_1', member: 'mem_1', artist: 'The Endless Engines', count: 2, changes: releases };
  const text = letterText(kinds.critical_changes.write({ ...data, first: releases[0] }, context));
  expect(text.match(/TEXT FOR YOUR DISTRIBUTOR/g)).toHaveLength(1);
  expect(text).toContain('Subject: Please reinstate 2 titles by The Endless Engines on Deezer');
  for (const [index, upc] of ['4059990017296', '4059990017297'].entries()) {
    expect(text).toContain(`“Title ${index}” by The Endless Engines\nLabel: Fernlight Records\nUPC: ${upc}\n`);
  }
  expect(text).toContain('Please reinstate these releases, and let us know why they were removed.');
});
