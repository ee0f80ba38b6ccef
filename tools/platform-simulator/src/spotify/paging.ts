import type { Request } from 'express';
import type { JsonObject } from '../quirks/distort.js';
import { type Places, showItems } from '../quirks/quirk-dice.js';

export interface PageLimits {
  readonly default: number;
  readonly max: number;
}

interface Paging {
  readonly offset: number;
  page(items: Places<() => JsonObject>): JsonObject;
}

/** Returns undefined if the limit is out of range, because Spotify rejects such requests. */
export function readPaging(request: Request, limits: PageLimits, fromStart = false): Paging | undefined {
  const limit = request.query.limit === undefined ? limits.default : Number(request.query.limit);
  const offset = Number(request.query.offset ?? 0);
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.max || !Number.isInteger(offset) || offset < 0) {
    return undefined;
  }
  const begin = fromStart ? 0 : offset;
  const linkTo = (at: number) => {
    const address = new URL(request.originalUrl, `http://${request.headers.host}`);
    address.searchParams.set('offset', String(at));
    address.searchParams.set('limit', String(limit));
    return address.href;
  };
  return {
    offset,
    page: (items) => ({
      href: linkTo(offset),
      limit,
      next: offset + limit < items.length ? linkTo(offset + limit) : null,
      offset,
      previous: offset > 0 ? linkTo(Math.max(0, offset - limit)) : null,
      total: items.length,
      items: showItems(items.slice(begin, begin + limit), (item) => item()),
    }),
  };
}
