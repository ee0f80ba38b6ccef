import type { z } from 'zod';
import type { ArtistItem } from '../artist.js';
import type { ChangeDetail, ChangeItem } from '../change.js';
import { type attemptSchema, type DeliveryDetailItem, type DeliveryItem, deliveredChangeSchema } from '../delivery.js';
import { type DestinationItem, previewedChangeSchema } from '../destination.js';
import { recoveredSchema } from '../destination-input.js';
import type { TrackItem } from '../tools.js';
import { json } from './operation.js';

export const ARTIST: ArtistItem = {
  id: 'art_019e0f0c8c00b2f7a1d43e5f60718293',
  platform_id: '27',
  name: 'Daft Punk',
  monthly_listeners: 0,
  followers: 4_812_310,
  metrics_observed_at: '2026-05-01T11:45:00.000Z',
  status: 'active',
  last_complete_at: '2026-05-01T11:45:00.000Z',
  next_read_at: '2026-05-01T12:00:00.000Z',
  merged_into: null,
  stale_reason: null,
  watched_since: '2026-04-01T09:00:00.000Z',
  platform_url: 'https://www.deezer.com/artist/27',
  metrics: { followers: 'available', monthly_listeners: 'unavailable' },
  group_ids: ['grp_019e0f0c8c00b2f7a1d43e5f60718293'],
};

export const CHANGE: ChangeItem = {
  id: 'chg_019e0f0c8c00b2f7a1d43e5f60718293',
  type: 'release_removed',
  severity: 'critical',
  artist_id: ARTIST.id,
  summary: '“Discovery” by Daft Punk was removed from Deezer.',
  confirmed_at: '2026-05-01T12:00:00.000Z',
  entity_type: 'release',
  entity_id: '302127',
  entity_name: 'Discovery',
  detected_at: '2026-05-01T11:30:00.000Z',
  artist_name: ARTIST.name,
  platform_url: 'https://www.deezer.com/album/302127',
  recorded_at: '2026-05-01T12:00:00.123Z',
  before: {
    platform_id: '302127',
    title: 'Discovery',
    type: 'album',
    release_date: '2001-03-07',
    upc: '724384960650',
  },
  after: null,
  status: 'open',
  note: null,
  assignee: null,
};

export const CHANGE_DETAIL: ChangeDetail = {
  ...CHANGE,
  before: CHANGE.before ?? null,
  after: null,
  release_id: null,
  release_name: null,
  origin: 'observed',
  observations: ['2026-05-01T11:30:00.000Z', '2026-05-01T11:45:00.000Z', '2026-05-01T12:00:00.000Z'].map(
    (observed_at) => ({
      observed_at,
      kind: 'counted',
      text: "It was missing from the full list of the artist's releases. When we looked it up directly, it did not exist.",
      readings: [
        { read: 'list', said: 'missing' },
        { read: 'direct', said: 'gone' },
      ],
      seen: null,
    }),
  ),
};

export const PREVIEWED_CHANGE = previewedChangeSchema.parse({ ...CHANGE, kept_back_by: [] });

export const NEXT_CURSOR = 'q1F0o2kYp3zLr8vT9wXb7lsxNzc3NjM2ODAwMDAwLDE3Nzc2MzY4MDAwMDAsImNoZ18iXQ';

export const DESTINATION: DestinationItem = {
  id: 'dst_019e0f0c8c00b2f7a1d43e5f60718293',
  name: 'Release desk',
  kind: 'webhook',
  url: 'https://receiver.example/webhooks',
  state: 'active',
  paused_by_plan: false,
  signed: true,
  next_secret_pending: false,
  headers: [],
  standard_webhooks: false,
  rules: { min_severity: 'warning', change_types: [], artist_ids: [], group_ids: [] },
  rule_warnings: [],
  consecutive_failures: 0,
  created_at: '2026-04-01T09:00:00.000Z',
  switched_off_at: null,
  switched_off_reason: null,
  switched_off: null,
  stats_24h: { deliveries: 12, pending: 0, succeeded: 12, failed: 0, skipped: 0 },
  warnings: [],
  notices: [],
};

export const SECRET = 'whsec_ZXhhbXBsZV9leGFtcGxlX2V4YW1wbGVfZXhhbXBsZV8=';

export const DELIVERY: DeliveryItem = {
  id: 'dlv_019e0f0c8c00b2f7a1d43e5f60718293',
  destination_id: DESTINATION.id,
  change_id: CHANGE.id,
  state: 'succeeded',
  trigger: 'change',
  attempt_count: 1,
  next_attempt_at: null,
  created_at: '2026-05-01T12:00:00.000Z',
  settled_at: '2026-05-01T12:00:00.420Z',
  skipped_reason: null,
};

export const PENDING_DELIVERY: DeliveryItem = {
  ...DELIVERY,
  state: 'pending',
  trigger: 'resend',
  next_attempt_at: '2026-05-02T08:00:00.000Z',
  settled_at: null,
};

export const MISSED_DELIVERY: DeliveryItem = {
  ...DELIVERY,
  state: 'skipped',
  attempt_count: 0,
  skipped_reason: 'destination_off',
};

export const ATTEMPT: z.infer<typeof attemptSchema> = {
  id: 'att_019e0f0c8c00b2f7a1d43e5f60718293',
  number: 1,
  outcome: 'succeeded',
  blame: null,
  status_code: 204,
  error: null,
  reason: null,
  advice: null,
  response_excerpt: '',
  started_at: '2026-05-01T12:00:00.180Z',
  ended_at: '2026-05-01T12:00:00.420Z',
  duration_ms: 240,
};

export const LISTED_DELIVERY = {
  ...DELIVERY,
  last_attempt: { number: 1, status_code: 204, error: null, ended_at: ATTEMPT.ended_at },
};

export const DELIVERY_DETAIL: DeliveryDetailItem = {
  ...DELIVERY,
  attempts: [ATTEMPT],
  change: deliveredChangeSchema.parse(CHANGE),
  request: {
    method: 'POST',
    url: DESTINATION.url,
    headers: [
      { name: 'Content-Type', value: 'application/json' },
      { name: 'Accept', value: '*/*' },
      { name: 'User-Agent', value: 'ArtistWatch-Webhooks/1' },
      { name: 'X-Service-Event', value: 'change.confirmed' },
      { name: 'X-Service-Delivery', value: DELIVERY.id },
      { name: 'X-Service-Attempt', value: '1' },
      { name: 'X-Service-Signature', value: 't=(hidden),v1=(hidden)' },
    ],
    body: `{"event":"change.confirmed","change_id":"${CHANGE.id}"}`,
  },
};

export const TRACK: TrackItem = {
  platform_id: '3135556',
  name: 'Harder, Better, Faster, Stronger',
  url: 'https://www.deezer.com/track/3135556',
  isrc: 'GBDUW0000059',
  duration_ms: 224_000,
  explicit: false,
  artists: [{ platform_id: ARTIST.platform_id, name: ARTIST.name }],
  release: {
    platform_id: '302127',
    name: 'Discovery',
    type: 'album',
    release_date: '2001-03-07',
    upc: '724384960650',
    label: 'Virgin',
  },
};

export const RECOVERED = json('The number of deliveries that are being sent.', recoveredSchema, {
  recovered: 3,
  remaining: 0,
  next_cursor: null,
});

export const SOURCE = { name: 'Deezer', retrieved_at: '2026-05-01T12:00:00.000Z' };
