import type { Response } from 'express';
import { askedOf, type PlatformContext } from '../platform-context.js';
import type { SeededRandom } from '../seeded-random.js';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Where a dialect keeps what the quirks distort. */
export interface DistortableFields {
  /** The items of a list. */
  readonly items: string;
  readonly total: string;
  /** Sets the follower count of an artist to 0. */
  zeroFollowers(artist: JsonObject): JsonObject;
}

const VANISHING_SHARE = 0.35;

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
  const list = body[fields.items];
  if (Array.isArray(list)) {
    const wrongTotal = dice.strike('wrongTotal', asked);
    if (wrongTotal) twisted = { ...twisted, [fields.total]: Number(body[fields.total]) + wrongTotal.by };
    if (list.length > 0 && dice.strike('missingItem', asked)) {
      const missing = dice.random('missingItem', asked).integer(0, list.length - 1);
      twisted = { ...twisted, [fields.items]: list.filter((_, index) => index !== missing) };
    }
  } else if (dice.strike('zeroFollowers', asked)) {
    twisted = fields.zeroFollowers(twisted);
  }
  const vanishing = dice.strike('vanishingFields', asked);
  if (vanishing) {
    const keep = new Set(vanishing.keep);
    const random = dice.random('vanishingFields', asked);
    const items = twisted[fields.items];
    if (Array.isArray(items))
      twisted = { ...twisted, [fields.items]: items.map((item) => thinOut(item, random, keep)) };
    twisted = thinOut(twisted, random, keep) as JsonObject;
  }
  sendJson(response, twisted, dice.strike('cutBody', asked) !== undefined);
}

function thinOut(value: Json, random: SeededRandom, keep: ReadonlySet<string>): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const kept: Record<string, Json> = {};
  for (const [key, field] of Object.entries(value)) {
    if (keep.has(key) || !random.chance(VANISHING_SHARE)) kept[key] = field;
    else if (random.chance(0.5)) kept[key] = null;
  }
  return kept;
}

function sendJson(response: Response, body: JsonObject, cut: boolean): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.set('Content-Type', 'application/json; charset=utf-8');
  if (!cut) {
    response.send(bytes);
    return;
  }
  response.set('Content-Length', String(bytes.length));
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.socket?.destroy());
}
