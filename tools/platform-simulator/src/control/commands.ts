import { z } from 'zod';
import type { QuotaLimits } from '../platform-context.js';
import { type Quirks, quirksSchema } from '../quirks/quirks.js';
import { type Additions, newArtistSchema, newReleaseSchema, newTrackSchema } from '../world/additions.js';
import { RELEASE_TYPES } from '../world/entities.js';
import { countries, date, followers, isrc, text } from '../world/fields.js';
import { pictureId } from '../world/id-form.js';
import type { World } from '../world/world.js';

export interface ControlTarget {
  readonly world: World;
  readonly additions: Additions;
  quirks(): Quirks;
  setQuirks(quirks: Quirks): void;
  setQuota(limits: QuotaLimits | undefined): void;
}

interface Command {
  readonly method: 'POST' | 'PATCH' | 'PUT';
  /** The only parameter allowed is `:id`, as in `/releases/:id/remove`. */
  readonly path: string;
  /** @throws ZodError if the body is invalid. */
  run(target: ControlTarget, id: string, body: unknown): unknown;
}

type Run<Body> = (target: ControlTarget, id: string, body: Body) => unknown;

function command<Schema extends z.ZodType>(
  method: Command['method'],
  path: string,
  schema: Schema,
  run: Run<z.output<Schema>>,
): Command {
  return { method, path, run: (target, id, body) => run(target, id, schema.parse(body ?? {})) };
}

function post<Shape extends z.ZodRawShape>(
  path: string,
  shape: Shape,
  run: Run<z.output<z.ZodObject<Shape>>>,
): Command {
  return command('POST', path, z.strictObject(shape), run);
}

const ids = z.array(z.string().min(1)).min(1);

const releaseChange = z.strictObject({
  title: z.exactOptional(text),
  type: z.exactOptional(z.enum(RELEASE_TYPES)),
  releaseDate: z.exactOptional(date),
  label: z.exactOptional(z.string()),
  upc: z.exactOptional(z.string()),
  explicit: z.exactOptional(z.boolean()),
  artistIds: z.exactOptional(ids),
  markets: z.exactOptional(countries),
  /** The platform returns this release in place of the requested one. */
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
  markets: z.exactOptional(countries),
});

const quotaSchema = z.union([
  z.strictObject({ requests: z.number().int().positive(), windowMs: z.number().int().positive() }),
  z.strictObject({ unlimited: z.literal(true) }),
]);

const COMMANDS: readonly Command[] = [
  command('POST', '/artists', newArtistSchema, ({ additions }, _, body) => additions.addArtist(body)),
  post('/artists/:id/rename', { name: text }, ({ world }, id, body) => world.changeArtist(id, body)),
  post('/artists/:id/followers', { followers }, ({ world }, id, body) => world.changeArtist(id, body)),
  post('/artists/:id/image', {}, ({ world }, id) =>
    world.changeArtist(id, { imageId: pictureId(world.known('artist', id).imageId) }),
  ),
  post('/artists/:id/remove', {}, ({ world }, id) => world.changeArtist(id, { removed: true })),
  post('/artists/:id/restore', {}, ({ world }, id) => world.changeArtist(id, { removed: false })),
  post('/artists/:id/close-markets', { countries }, ({ world }, id, body) => world.trade(id, body.countries, false)),
  post('/artists/:id/open-markets', { countries }, ({ world }, id, body) => world.trade(id, body.countries, true)),

  command('POST', '/releases', newReleaseSchema, ({ additions }, _, body) => additions.addRelease(body)),
  post('/releases/:id/remove', {}, ({ world }, id) => world.changeRelease(id, { removed: true })),
  post('/releases/:id/restore', {}, ({ world }, id) => world.changeRelease(id, { removed: false })),
  post('/releases/:id/rename', { title: text }, ({ world }, id, body) => world.changeRelease(id, body)),
  post('/releases/:id/artwork', {}, ({ world }, id) =>
    world.changeRelease(id, { artworkId: pictureId(world.known('release', id).artworkId) }),
  ),
  command('PATCH', '/releases/:id', releaseChange, ({ world }, id, { relinkedTo, ...change }) => {
    const release = world.changeRelease(id, change);
    if (relinkedTo !== undefined) world.changeRelease(id, { relinkedTo: relinkedTo ?? undefined });
    if (change.markets) world.sell(id, change.markets);
    return release;
  }),

  command('POST', '/tracks', newTrackSchema, ({ additions }, _, body) => additions.addTrack(body)),
  post('/tracks/:id/remove', {}, ({ world }, id) => world.changeTrack(id, { removed: true })),
  post('/tracks/:id/restore', {}, ({ world }, id) => world.changeTrack(id, { removed: false })),
  post('/tracks/:id/rename', { title: text }, ({ world }, id, body) => world.changeTrack(id, body)),
  post('/tracks/:id/isrc', { isrc }, ({ world }, id, body) => world.changeTrack(id, body)),
  command('PATCH', '/tracks/:id', trackChange, ({ world }, id, body) => world.changeTrack(id, body)),

  command('PUT', '/quirks', quirksSchema, (target, _, body) => {
    target.setQuirks(body);
    return body;
  }),
  command('PUT', '/quota', quotaSchema, (target, _, body) => {
    target.setQuota('unlimited' in body ? undefined : body);
    return body;
  }),
];

export class UnknownCommandError extends Error {
  override readonly name = 'UnknownCommandError';
}

/**
 * Returns the changed entity or setting.
 * @throws UnknownCommandError or ZodError
 */
export function runCommand(target: ControlTarget, method: string, path: string, body: unknown): unknown {
  for (const candidate of COMMANDS) {
    const id = candidate.method === method ? match(candidate.path, path) : undefined;
    if (id !== undefined) return candidate.run(target, id, body);
  }
  throw new UnknownCommandError(`There is no command ${method} ${path}.`);
}

/** Returns undefined if the path doesn't match, or an empty string if the pattern has no `:id`. */
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
