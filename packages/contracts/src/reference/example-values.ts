import type { DetectedChangeType } from '@artist-watch/domain/change/change-types';
import type { ChangeValue, ChangeValues } from '@artist-watch/domain/change/change-value';

const RELEASE: ChangeValue = {
  kind: 'release',
  value: { platformId: '302127', title: 'Discovery', type: 'album', releaseDate: '2001-03-07', upc: '724384960650' },
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

/** What the examples of docs/changes.md say it was and what it became. */
export const EXAMPLE_VALUES: Readonly<Record<DetectedChangeType, ChangeValues>> = {
  release_removed: { before: RELEASE, after: null },
  track_removed: { before: TRACK, after: null },
  artist_removed: NOTHING,
  artist_restored: NOTHING,
  release_added: { before: null, after: RELEASE },
  track_added: { before: null, after: TRACK },
  release_restored: { before: null, after: RELEASE },
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
