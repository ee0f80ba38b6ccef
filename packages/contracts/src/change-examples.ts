import {
  CHANGE_TYPES,
  type DetectedChangeType,
  isDetectedChangeType,
  type Severity,
} from '@artist-watch/domain/change/change-types';
import type { ChangeValue, ChangeValues } from '@artist-watch/domain/change/change-value';
import { summariseReported } from '@artist-watch/domain/change/summary';
import { type WebhookSubject, webhookBody } from './webhook-payload.js';

interface ExampleThings {
  readonly artist: WebhookSubject['artist'];
  readonly release: { readonly id: string; readonly name: string };
  readonly track: { readonly id: string; readonly name: string };
}

const THINGS: ExampleThings = {
  artist: { id: 'art_019e0f0c8c00b2f7a1d43e5f60718293', name: 'Daft Punk', platformId: '27' },
  release: { id: '302127', name: 'Discovery' },
  track: { id: '3135556', name: 'Harder, Better, Faster, Stronger' },
};

/** Returns the webhook body of a realistic change. */
export function examplePayload(type: DetectedChangeType): Record<string, unknown> {
  return JSON.parse(
    webhookBody({
      ...exampleOf(type, THINGS),
      id: 'chg_019e0f0c8c00b2f7a1d43e5f60718293',
      detectedAt: new Date('2026-05-01T11:30:00Z'),
      confirmedAt: new Date('2026-05-01T12:00:00Z'),
    }),
  );
}

function exampleOf(
  type: DetectedChangeType,
  { artist, ...things }: ExampleThings,
): Omit<WebhookSubject, 'id' | 'detectedAt' | 'confirmedAt'> {
  const { entityType, severity } = CHANGE_TYPES[type];
  const entity = entityType === 'artist' ? { id: artist.platformId, name: artist.name } : things[entityType];
  const subject = { type, entityType, entityName: entity.name };
  const summary = summariseReported({ ...subject, platform: 'deezer', artistName: artist.name });
  return { ...subject, platform: 'deezer', artist, entityId: entity.id, severity, summary, ...EXAMPLE_VALUES[type] };
}

const SAMPLES = {
  artist: { id: 'art_00000000000000000000000000000000', name: 'Sample Artist', platformId: 'sample-artist' },
  release: { id: 'sample-release', name: 'Sample Release' },
  track: { id: 'sample-track', name: 'Sample Track' },
};

/**
 * Returns a realistic change to a fictional artist.
 * @param changeId a new id for each test, because receivers may ignore duplicates
 */
export function sampleChange(changeId: string, now: Date, type: DetectedChangeType = 'release_added'): WebhookSubject {
  return testChange({ id: changeId, type, artist: SAMPLES.artist, platform: 'deezer', now });
}

export const SAMPLE_ARTIST = { platformId: SAMPLES.artist.platformId, name: SAMPLES.artist.name };

export function testChange({
  id,
  type,
  severity,
  artist,
  platform,
  now,
}: Pick<WebhookSubject, 'id' | 'type' | 'artist' | 'platform'> & {
  /** Default: the severity of the type. */
  readonly severity?: Severity | undefined;
  readonly now: Date;
}): WebhookSubject {
  const isKnown = isDetectedChangeType(type);
  const example = exampleOf(isKnown ? type : 'release_added', { ...SAMPLES, artist });
  const subject = { ...example, type, platform, artistName: artist.name };
  return {
    ...example,
    ...(!isKnown && { ...NOTHING, severity: 'info' as const }),
    ...(severity && { severity }),
    id,
    type,
    platform,
    detectedAt: now,
    confirmedAt: now,
    isTest: true,
    summary: `This is a test, not a real change. ${summariseReported(subject)}`,
  };
}

const RELEASE: ChangeValue = {
  kind: 'release',
  value: {
    platformId: '302127',
    title: 'Discovery',
    type: 'album',
    releaseDate: '2001-03-07',
    upc: '724384960650',
    trackCount: 12,
  },
};
const TRACK: ChangeValue = {
  kind: 'track',
  value: {
    platformId: '3135556',
    title: 'Harder, Better, Faster, Stronger',
    isrc: 'GBDUW0000059',
    position: 4,
  },
};

const text = (before: string, after: string): ChangeValues => ({
  before: { kind: 'text', value: before },
  after: { kind: 'text', value: after },
});
const picture: ChangeValues = {
  before: { kind: 'picture', value: '5718f7c81c27e0b2417e2a4c45224f8a' },
  after: { kind: 'picture', value: '638e69b9caaf9f9f3f8826febea7b543' },
};
const numbers = (before: number, after: number): ChangeValues => ({
  before: { kind: 'number', value: before },
  after: { kind: 'number', value: after },
});
const markets = (before: readonly string[], after: readonly string[]): ChangeValues => ({
  before: { kind: 'markets', value: before },
  after: { kind: 'markets', value: after },
});
const NOTHING: ChangeValues = { before: null, after: null };

const EXAMPLE_VALUES: Readonly<Record<DetectedChangeType, ChangeValues>> = {
  release_removed: { before: RELEASE, after: null },
  track_removed: { before: TRACK, after: null },
  artist_removed: NOTHING,
  artist_merged: {
    before: { kind: 'credits', value: [{ platformId: '27', name: 'Daft Punk' }] },
    after: { kind: 'credits', value: [{ platformId: '4138', name: 'Daft Punk' }] },
  },
  artist_restored: NOTHING,
  release_added: { before: null, after: RELEASE },
  track_added: { before: null, after: TRACK },
  release_restored: { before: null, after: RELEASE },
  release_moved: {
    before: { kind: 'credits', value: [{ platformId: '27', name: 'Daft Punk' }] },
    after: { kind: 'credits', value: [{ platformId: '4138', name: 'Daft Punks' }] },
  },
  release_replaced: { before: RELEASE, after: { ...RELEASE, value: { ...RELEASE.value, platformId: '6575789' } } },
  release_title_changed: text('Discovery', 'Discovery (Remastered)'),
  track_title_changed: text('Harder, Better, Faster, Stronger', 'Harder Better Faster Stronger (Radio Edit)'),
  release_date_changed: {
    before: { kind: 'date', value: '2001-03-07' },
    after: { kind: 'date', value: '2001-03-12' },
  },
  artwork_changed: picture,
  label_changed: text('Virgin', 'Daft Life'),
  upc_changed: text('724384960650', '0724384960651'),
  track_replaced: { before: TRACK, after: { ...TRACK, value: { ...TRACK.value, platformId: '66609426' } } },
  credits_changed: {
    before: { kind: 'credits', value: [{ platformId: '27', name: 'Daft Punk' }] },
    after: {
      kind: 'credits',
      value: [
        { platformId: '27', name: 'Daft Punk' },
        { platformId: null, name: 'Edwin Birdsong' },
      ],
    },
  },
  explicit_flag_changed: { before: { kind: 'flag', value: false }, after: { kind: 'flag', value: true } },
  artist_image_changed: picture,
  isrc_changed: text('GBDUW0000059', 'GBDUW0000060'),
  artist_name_changed: text('Daft Punk', 'DAFT PUNK'),
  availability_reduced: markets(['DE', 'FR', 'GB', 'US'], ['DE', 'FR', 'US']),
  availability_expanded: markets(['DE', 'FR', 'US'], ['DE', 'FR', 'GB', 'US']),
  followers_spike: numbers(4_100_000, 5_300_000),
  followers_drop: numbers(4_100_000, 3_600_000),
};
