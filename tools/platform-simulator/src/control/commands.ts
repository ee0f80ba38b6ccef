import { z } from 'zod';
import type { QuotaLimits } from '../platform-context.js';
import { type Quirks, quirksSchema } from '../quirks/quirks.js';
import type { Additions } from '../world/additions.js';
import { RELEASE_TYPES } from '../world/entities.js';
import { pictureId } from '../world/id-form.js';

/** What a control command may change. */
export interface ControlTarget {
  readonly additions: Additions;
  quirks(): Quirks;
  setQuirks(quirks: Quirks): void;
  setQuota(limits: QuotaLimits | undefined): void;
}

/** One way of changing the platform from outside: over HTTP at once, or as a step of a scenario. */
interface Command {
  readonly method: 'POST' | 'PATCH' | 'PUT';
  /** `/releases/:id/remove`; `:id` is the only parameter. */
  readonly path: string;
  /** Parses the body and answers what is to be done. Throws a ZodError. */
  prepare(body: unknown): (target: ControlTarget, id: string) => unknown;
}

function command<Schema extends z.ZodType>(
  method: Command['method'],
  path: string,
  schema: Schema,
  run: (target: ControlTarget, body: z.output<Schema>, id: string) => unknown,
): Command {
  return {
    method,
    path,
    prepare: (body) => {
      const parsed = schema.parse(body ?? {});
      return (target, id) => run(target, parsed, id);
    },
  };
}

const nothing = z.strictObject({});
const text = z.string().min(1).max(500);
const isrc = z.string().regex(/^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/, 'is not an ISRC');
const date = z.string().regex(/^\d{4}(-\d{2}(-\d{2})?)?$/, 'is not a date such as 2026-03-14');
const markets = z.array(z.string().regex(/^[A-Z]{2}$/));
const ids = z.array(z.string().min(1)).min(1);
const followers = z.number().int().min(0);

const newArtist = z.strictObject({
  name: text.optional(),
  followers: followers.optional(),
  releases: z.number().int().min(0).max(500).optional(),
});

const newRelease = z.strictObject({
  artistId: z.string(),
  title: text.optional(),
  type: z.enum(RELEASE_TYPES).optional(),
  releaseDate: date.optional(),
  label: text.optional(),
  upc: text.optional(),
  explicit: z.boolean().optional(),
  markets: markets.optional(),
  tracks: z.union([z.number().int().min(0).max(100), z.array(isrc)]).optional(),
});

const newTrack = z.strictObject({
  releaseId: z.string(),
  title: text.optional(),
  isrc: isrc.optional(),
  explicit: z.boolean().optional(),
});

const releaseChange = z.strictObject({
  title: z.exactOptional(text),
  type: z.exactOptional(z.enum(RELEASE_TYPES)),
  releaseDate: z.exactOptional(date),
  label: z.exactOptional(z.string()),
  upc: z.exactOptional(z.string()),
  explicit: z.exactOptional(z.boolean()),
  artistIds: z.exactOptional(ids),
  markets: z.exactOptional(markets),
  /** Another release that is answered in place of this one; null ends that. */
  relinkedTo: z.exactOptional(z.string().nullable()),
});

const trackChange = z.strictObject({
  title: z.exactOptional(text),
  version: z.exactOptional(z.string()),
  isrc: z.exactOptional(isrc),
  durationMs: z.exactOptional(z.number().int().positive()),
  disc: z.exactOptional(z.number().int().positive()),
  position: z.exactOptional(z.number().int().positive()),
  explicit: z.exactOptional(z.boolean()),
  artistIds: z.exactOptional(ids),
  markets: z.exactOptional(markets),
});

const quotaSchema = z.union([
  z.strictObject({ requests: z.number().int().positive(), windowMs: z.number().int().positive() }),
  z.strictObject({ unlimited: z.literal(true) }),
]);

const COMMANDS: readonly Command[] = [
  command('POST', '/artists', newArtist, ({ additions }, body) => additions.addArtist(body)),
  command('POST', '/artists/:id/rename', z.strictObject({ name: text }), ({ additions }, body, id) =>
    additions.world.changeArtist(id, body),
  ),
  command('POST', '/artists/:id/followers', z.strictObject({ followers }), ({ additions }, body, id) =>
    additions.world.changeArtist(id, body),
  ),
  command('POST', '/artists/:id/image', nothing, ({ additions }, _, id) =>
    additions.world.changeArtist(id, { imageId: pictureId(additions.world.known('artist', id).imageId) }),
  ),
  command('POST', '/artists/:id/remove', nothing, ({ additions }, _, id) =>
    additions.world.changeArtist(id, { removed: true }),
  ),
  command('POST', '/artists/:id/restore', nothing, ({ additions }, _, id) =>
    additions.world.changeArtist(id, { removed: false }),
  ),
  command('POST', '/artists/:id/close-markets', z.strictObject({ countries: markets }), ({ additions }, body, id) =>
    additions.world.trade(id, body.countries, false),
  ),
  command('POST', '/artists/:id/open-markets', z.strictObject({ countries: markets }), ({ additions }, body, id) =>
    additions.world.trade(id, body.countries, true),
  ),

  command('POST', '/releases', newRelease, ({ additions }, body) => additions.addRelease(body)),
  command('POST', '/releases/:id/remove', nothing, ({ additions }, _, id) =>
    additions.world.changeRelease(id, { removed: true }),
  ),
  command('POST', '/releases/:id/restore', nothing, ({ additions }, _, id) =>
    additions.world.changeRelease(id, { removed: false }),
  ),
  command('POST', '/releases/:id/rename', z.strictObject({ title: text }), ({ additions }, body, id) =>
    additions.world.changeRelease(id, body),
  ),
  command('POST', '/releases/:id/artwork', nothing, ({ additions }, _, id) =>
    additions.world.changeRelease(id, { artworkId: pictureId(additions.world.known('release', id).artworkId) }),
  ),
  command('PATCH', '/releases/:id', releaseChange, ({ additions: { world } }, body, id) => {
    const { relinkedTo, ...change } = body;
    const release = world.changeRelease(id, change);
    if (relinkedTo !== undefined) world.changeRelease(id, { relinkedTo: relinkedTo ?? undefined });
    if (change.markets) world.sell(id, change.markets);
    return release;
  }),

  command('POST', '/tracks', newTrack, ({ additions }, body) => additions.addTrack(body)),
  command('POST', '/tracks/:id/remove', nothing, ({ additions }, _, id) =>
    additions.world.changeTrack(id, { removed: true }),
  ),
  command('POST', '/tracks/:id/restore', nothing, ({ additions }, _, id) =>
    additions.world.changeTrack(id, { removed: false }),
  ),
  command('POST', '/tracks/:id/rename', z.strictObject({ title: text }), ({ additions }, body, id) =>
    additions.world.changeTrack(id, body),
  ),
  command('POST', '/tracks/:id/isrc', z.strictObject({ isrc }), ({ additions }, body, id) =>
    additions.world.changeTrack(id, body),
  ),
  command('PATCH', '/tracks/:id', trackChange, ({ additions }, body, id) => additions.world.changeTrack(id, body)),

  command('PUT', '/quirks', quirksSchema, (target, body) => {
    target.setQuirks(body);
    return body;
  }),
  command('PUT', '/quota', quotaSchema, (target, body) => {
    target.setQuota('unlimited' in body ? undefined : body);
    return body;
  }),
];

export class UnknownCommandError extends Error {
  override readonly name = 'UnknownCommandError';
}

/** Finds the command and checks its body. Throws UnknownCommandError or a ZodError. */
export function prepareCommand(method: string, path: string, body: unknown): (target: ControlTarget) => unknown {
  for (const candidate of COMMANDS) {
    const id = candidate.method === method ? match(candidate.path, path) : undefined;
    if (id === undefined) continue;
    const run = candidate.prepare(body);
    return (target) => run(target, id);
  }
  throw new UnknownCommandError(`There is no command ${method} ${path}.`);
}

/** The `:id` of the path; empty where the pattern has none; undefined where the path does not match. */
function match(pattern: string, path: string): string | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  let id = '';
  for (const [index, part] of wanted.entries()) {
    if (part === ':id') id = given[index] ?? '';
    else if (part !== given[index]) return undefined;
  }
  return id === '' && pattern.includes(':id') ? undefined : id;
}
