import type { Response } from 'express';
import { type PlatformContext, requestedPath } from '../platform-context.js';
import type { SeededRandom } from '../seeded-random.js';
import type { QuirkName } from './quirks.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export interface DistortableFields {
  readonly items: string;
  readonly total: string;
  mapLists(body: JsonObject, change: (list: JsonObject) => JsonObject): JsonObject;
  readonly noPicture: JsonObject;
  readonly nameFields: readonly string[];
  readonly hollow: JsonObject;
  zeroFollowers(artist: JsonObject): JsonObject;
}

/** The list has at least one item. */
type ItemChange = (items: readonly Json[], random: SeededRandom) => readonly Json[];

const ITEM_QUIRKS: readonly (readonly [QuirkName, ItemChange])[] = [
  ['missingItem', (items, random) => items.toSpliced(random.integer(0, items.length - 1), 1)],
  [
    'duplicateItem',
    (items, random) => {
      if (items.length === 1) return items;
      const twice = random.integer(0, items.length - 2);
      return items.with(twice + 1, items[twice] as Json);
    },
  ],
  ['nullItem', (items, random) => items.with(random.integer(0, items.length - 1), null)],
];

const VANISHING_SHARE = 0.35;

const JSON_TYPE = 'application/json; charset=utf-8';

export function sendDistorted(
  context: PlatformContext,
  response: Response,
  body: JsonObject,
  fields: DistortableFields,
): void {
  const { dice } = context;
  const requested = requestedPath(response);
  let distorted = body;
  const { total } = fields;
  const wrongTotal = dice.strike('wrongTotal', requested);
  if (wrongTotal) {
    distorted = fields.mapLists(distorted, (list) => ({ ...list, [total]: Number(list[total]) + wrongTotal.by }));
  }
  for (const [quirk, change] of ITEM_QUIRKS) {
    if (!dice.strike(quirk, requested)) continue;
    const random = dice.random(quirk, requested);
    distorted = fields.mapLists(distorted, (list) => {
      const items = list[fields.items] ?? [];
      return { ...list, [fields.items]: Array.isArray(items) && items.length > 0 ? change(items, random) : items };
    });
  }
  if (dice.strike('noPicture', requested)) distorted = replaceFields(distorted, fields.noPicture) as JsonObject;
  if (dice.strike('invisibleNames', requested)) {
    const invisible = dice.random('invisibleNames', requested).pick(INVISIBLE);
    distorted = replaceFields(
      distorted,
      Object.fromEntries(fields.nameFields.map((name) => [name, invisible])),
    ) as JsonObject;
  }
  if (dice.strike('zeroFollowers', requested)) distorted = fields.zeroFollowers(distorted);
  if (dice.strike('hyphenatedIsrc', requested)) distorted = withHyphens(distorted) as JsonObject;
  if (dice.strike('hollowAnswer', requested)) distorted = hollowOut(distorted, fields.hollow) as JsonObject;
  const vanishing = dice.strike('vanishingFields', requested);
  if (vanishing) {
    distorted = thinOut(distorted, dice.random('vanishingFields', requested), new Set(vanishing.keep)) as JsonObject;
  }
  if (dice.strike('cutBody', requested)) {
    sendCut(response, distorted);
    return;
  }
  const bytes = toBytes(distorted);
  const isTruncated = dice.strike('truncatedBody', requested) !== undefined;
  if (dice.strike('brokenGzip', requested)) response.set('Content-Encoding', 'gzip');
  response.set('Content-Type', JSON_TYPE).send(isTruncated ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes);
}

export function mapObjects(value: Json, change: (object: JsonObject) => JsonObject): Json {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, field]) => [key, mapObjects(field, change)] as const);
  return change(Object.fromEntries(entries));
}

function hollowOut(body: JsonObject, hollow: JsonObject): Json {
  return replaceFields(body, hollow, ({ type }) => type === 'album' || type === 'track');
}

/** Invisible characters: a zero-width space, joiners, a Hangul filler, a tag character, and blank Braille. */
const INVISIBLE = ['\u200b', '\u2060\u200d', '\u3164', '\u{e0041}', ' \u2800 '] as const;

function replaceFields(
  body: JsonObject,
  values: JsonObject,
  applies: (object: JsonObject) => boolean = () => true,
): Json {
  return mapObjects(body, (object) => {
    if (!applies(object)) return object;
    return { ...object, ...Object.fromEntries(Object.entries(values).filter(([key]) => key in object)) };
  });
}

function thinOut(value: Json, random: SeededRandom, keep: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((item) => thinOut(item, random, keep));
  if (value === null || typeof value !== 'object') return value;
  const kept: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) {
    if (keep.has(key) || !random.chance(VANISHING_SHARE)) kept[key] = thinOut(field, random, keep);
    else if (random.chance(0.5)) kept[key] = null;
  }
  return kept;
}

/** `GBSMU2401851` becomes `GB-SMU-24-01851`. */
function withHyphens(body: JsonObject): Json {
  return mapObjects(body, (object) => {
    const { isrc } = object;
    if (typeof isrc !== 'string') return object;
    return { ...object, isrc: isrc.replace(/^(.{2})(.{3})(.{2})(.{5})$/, '$1-$2-$3-$4') };
  });
}

/** Closes the connection before the body has reached the announced length. */
function sendCut(response: Response, body: JsonObject): void {
  const bytes = toBytes(body);
  response.set('Content-Type', JSON_TYPE);
  response.set('Content-Length', String(bytes.length));
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.socket?.destroy());
}

function toBytes(body: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(body));
}
