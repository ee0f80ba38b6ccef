import type { Response } from 'express';
import { askedOf, type PlatformContext } from '../platform-context.js';
import type { SeededRandom } from '../seeded-random.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Where a dialect keeps what the quirks distort. */
export interface DistortableFields {
  /** The field of a list that holds its items. */
  readonly items: string;
  /** The one that holds its total. */
  readonly total: string;
  /** Twists each list of the body, inner ones too; the same body when it has none. */
  mapLists(body: JsonObject, twist: (list: JsonObject) => JsonObject): JsonObject;
  /** What a picture is replaced by that is one of nothing; nothing where the platform has none. */
  readonly noPicture: JsonObject;
  /** Names in all objects that have one. */
  readonly nameFields: readonly string[];
  /** What is left of a release or a track that was taken down, in place of fields that it has. */
  readonly hollow: JsonObject;
  /** Sets the follower count of an artist to 0. */
  zeroFollowers(artist: JsonObject): JsonObject;
}

const VANISHING_SHARE = 0.35;

const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends a body after the quirks that twist it have had their way. */
export function sendDistorted(
  context: PlatformContext,
  response: Response,
  body: JsonObject,
  fields: DistortableFields,
): void {
  const { dice } = context;
  const asked = askedOf(response);
  let twisted = body;
  const { total } = fields;
  const wrongTotal = dice.strike('wrongTotal', asked);
  if (wrongTotal) {
    twisted = fields.mapLists(twisted, (list) => ({ ...list, [total]: Number(list[total]) + wrongTotal.by }));
  }
  if (dice.strike('missingItem', asked)) {
    const random = dice.random('missingItem', asked);
    twisted = fields.mapLists(twisted, (list) => ({ ...list, [fields.items]: withoutOne(list[fields.items], random) }));
  }
  if (dice.strike('duplicateItem', asked)) {
    const random = dice.random('duplicateItem', asked);
    twisted = fields.mapLists(twisted, (list) => ({
      ...list,
      [fields.items]: withOneTwice(list[fields.items], random),
    }));
  }
  if (dice.strike('nullItem', asked)) {
    const random = dice.random('nullItem', asked);
    twisted = fields.mapLists(twisted, (list) => ({
      ...list,
      [fields.items]: withOneNull(list[fields.items], random),
    }));
  }
  if (dice.strike('noPicture', asked)) twisted = replacing(twisted, fields.noPicture) as JsonObject;
  if (dice.strike('invisibleNames', asked)) {
    const invisible = dice.random('invisibleNames', asked).pick(INVISIBLE);
    twisted = replacing(twisted, Object.fromEntries(fields.nameFields.map((name) => [name, invisible]))) as JsonObject;
  }
  if (dice.strike('zeroFollowers', asked)) twisted = fields.zeroFollowers(twisted);
  if (dice.strike('hyphenatedIsrc', asked)) twisted = withHyphens(twisted) as JsonObject;
  if (dice.strike('hollowAnswer', asked)) twisted = hollowed(twisted, fields.hollow) as JsonObject;
  const vanishing = dice.strike('vanishingFields', asked);
  if (vanishing) {
    twisted = thinOut(twisted, dice.random('vanishingFields', asked), new Set(vanishing.keep)) as JsonObject;
  }
  if (dice.strike('cutBody', asked)) {
    sendCut(response, twisted);
    return;
  }
  const bytes = bytesOf(twisted);
  const isTruncated = dice.strike('truncatedBody', asked) !== undefined;
  if (dice.strike('brokenGzip', asked)) response.set('Content-Encoding', 'gzip');
  response.set('Content-Type', JSON_TYPE).send(isTruncated ? bytes.subarray(0, Math.floor(bytes.length / 2)) : bytes);
}

/** Changes every object of a body, inner ones first. */
export function mapObjects(value: Json, change: (object: JsonObject) => JsonObject): Json {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, field]) => [key, mapObjects(field, change)] as const);
  return change(Object.fromEntries(entries));
}

function hollowed(body: JsonObject, hollow: JsonObject): Json {
  return replacing(body, hollow, ({ type }) => type === 'album' || type === 'track');
}

/** Zero-width space, word joiner, Hangul filler, a tag character, blank Braille. */
const INVISIBLE = ['\u200b', '\u2060\u200d', '\u3164', '\u{e0041}', ' \u2800 '] as const;

/** Fields that an object has, with other values. */
function replacing(body: JsonObject, values: JsonObject, isIn: (object: JsonObject) => boolean = () => true): Json {
  return mapObjects(body, (object) => {
    if (!isIn(object)) return object;
    return { ...object, ...Object.fromEntries(Object.entries(values).filter(([key]) => key in object)) };
  });
}

function withOneNull(items: Json | undefined, random: SeededRandom): Json {
  if (!Array.isArray(items) || items.length === 0) return items ?? [];
  return items.with(random.integer(0, items.length - 1), null);
}

function withoutOne(items: Json | undefined, random: SeededRandom): Json {
  if (!Array.isArray(items) || items.length === 0) return items ?? [];
  const missing = random.integer(0, items.length - 1);
  return items.filter((_, index) => index !== missing);
}

function withOneTwice(items: Json | undefined, random: SeededRandom): Json {
  if (!Array.isArray(items) || items.length < 2) return items ?? [];
  const twice = random.integer(0, items.length - 2);
  return items.with(twice + 1, items[twice]);
}

function thinOut(value: Json, random: SeededRandom, keep: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((item) => thinOut(item, random, keep));
  if (value === null || typeof value !== 'object') return value;
  const left: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) {
    if (keep.has(key) || !random.chance(VANISHING_SHARE)) left[key] = thinOut(field, random, keep);
    else if (random.chance(0.5)) left[key] = null;
  }
  return left;
}

/** `GBSMU2401851` as `GB-SMU-24-01851`, wherever an ISRC stands. */
function withHyphens(body: JsonObject): Json {
  return mapObjects(body, (object) => {
    const { isrc } = object;
    if (typeof isrc !== 'string') return object;
    return { ...object, isrc: isrc.replace(/^(.{2})(.{3})(.{2})(.{5})$/, '$1-$2-$3-$4') };
  });
}

/** The connection ends before the announced length. */
function sendCut(response: Response, body: JsonObject): void {
  const bytes = bytesOf(body);
  response.set('Content-Type', JSON_TYPE);
  response.set('Content-Length', String(bytes.length));
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.socket?.destroy());
}

function bytesOf(body: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(body));
}
