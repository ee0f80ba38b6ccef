import express, { type ErrorRequestHandler, type Express } from 'express';
import { z } from 'zod';
import type { QuotaLimits, RequestLog } from '../platform-context.js';
import { type Quirks, quirksSchema } from '../quirks/quirks.js';
import { type Additions, newArtistSchema, newReleaseSchema, newTrackSchema } from '../world/additions.js';
import { RELEASE_TYPES } from '../world/entities.js';
import { countries, date, followers, isrc, text } from '../world/fields.js';
import { pictureId } from '../world/id-form.js';
import { UnknownEntityError, type World } from '../world/world.js';

export interface ControlTarget {
  readonly world: World;
  readonly additions: Additions;
  quirks(): Quirks;
  setQuirks(quirks: Quirks): void;
  setQuota(limits: QuotaLimits | undefined): void;
}

export interface Control extends ControlTarget {
  readonly platform: string;
  readonly log: RequestLog;
  quota(): QuotaLimits | undefined;
}

const ids = z.array(z.string().min(1)).min(1);
const nothing = z.strictObject({});

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

export function createControlApp(control: Control): Express {
  const { additions, log, world } = control;
  const app = express();
  app.disable('x-powered-by');
  app.use(express.json({ limit: '5mb' }));

  app.get('/state', (request, response) => {
    const artist = request.query.artist;
    response.json({ platform: control.platform, artists: world.tree(typeof artist === 'string' ? artist : undefined) });
  });
  app.get('/artists', (_, response) => {
    response.json({ artists: world.artists() });
  });
  app.get('/quirks', (_, response) => {
    response.json(control.quirks());
  });
  app.get('/quota', (_, response) => {
    response.json(control.quota() ?? { unlimited: true });
  });
  app.get('/requests', (_, response) => {
    response.json(log.counts());
  });
  app.delete('/requests', (_, response) => {
    log.clear();
    response.status(204).end();
  });

  /** Responds with the result of `run`, such as the changed entity. */
  function on<Schema extends z.ZodType>(
    method: 'post' | 'patch' | 'put',
    path: string,
    schema: Schema,
    run: (id: string, body: z.output<Schema>) => unknown,
  ): void {
    app[method](path, (request, response) => {
      response.json(run(String(request.params.id), schema.parse(request.body ?? {})));
    });
  }
  on('post', '/artists', newArtistSchema, (_, body) => additions.addArtist(body));
  on('post', '/artists/:id/rename', z.strictObject({ name: text }), (id, body) => world.changeArtist(id, body));
  on('post', '/artists/:id/followers', z.strictObject({ followers }), (id, body) => world.changeArtist(id, body));
  on('post', '/artists/:id/image', nothing, (id) =>
    world.changeArtist(id, { imageId: pictureId(world.known('artist', id).imageId) }),
  );
  on('post', '/artists/:id/remove', nothing, (id) => world.changeArtist(id, { removed: true }));
  on('post', '/artists/:id/restore', nothing, (id) => world.changeArtist(id, { removed: false }));
  on('post', '/artists/:id/close-markets', z.strictObject({ countries }), (id, body) =>
    world.trade(id, body.countries, false),
  );
  on('post', '/artists/:id/open-markets', z.strictObject({ countries }), (id, body) =>
    world.trade(id, body.countries, true),
  );

  on('post', '/releases', newReleaseSchema, (_, body) => additions.addRelease(body));
  on('post', '/releases/:id/remove', nothing, (id) => world.changeRelease(id, { removed: true }));
  on('post', '/releases/:id/restore', nothing, (id) => world.changeRelease(id, { removed: false }));
  on('post', '/releases/:id/rename', z.strictObject({ title: text }), (id, body) => world.changeRelease(id, body));
  on('post', '/releases/:id/artwork', nothing, (id) =>
    world.changeRelease(id, { artworkId: pictureId(world.known('release', id).artworkId) }),
  );
  on('patch', '/releases/:id', releaseChange, (id, { relinkedTo, ...change }) => {
    const release = world.changeRelease(id, change);
    if (relinkedTo !== undefined) world.changeRelease(id, { relinkedTo: relinkedTo ?? undefined });
    if (change.markets) world.sell(id, change.markets);
    return release;
  });

  on('post', '/tracks', newTrackSchema, (_, body) => additions.addTrack(body));
  on('post', '/tracks/:id/remove', nothing, (id) => world.changeTrack(id, { removed: true }));
  on('post', '/tracks/:id/restore', nothing, (id) => world.changeTrack(id, { removed: false }));
  on('post', '/tracks/:id/rename', z.strictObject({ title: text }), (id, body) => world.changeTrack(id, body));
  on('post', '/tracks/:id/isrc', z.strictObject({ isrc }), (id, body) => world.changeTrack(id, body));
  on('patch', '/tracks/:id', trackChange, (id, body) => world.changeTrack(id, body));

  on('put', '/quirks', quirksSchema, (_, body) => {
    control.setQuirks(body);
    return body;
  });
  on('put', '/quota', quotaSchema, (_, body) => {
    control.setQuota('unlimited' in body ? undefined : body);
    return body;
  });

  app.use(({ method, path }, response) => {
    response.status(404).json({ error: { code: 'not_found', message: `There is no command ${method} ${path}.` } });
  });
  app.use(sendError);
  return app;
}

const sendError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const { status, code, message } = explain(error);
  response.status(status).json({ error: { code, message } });
};

function explain(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof UnknownEntityError) return { status: 404, code: 'not_found', message: error.message };
  if (error instanceof z.ZodError) return { status: 400, code: 'invalid_input', message: z.prettifyError(error) };
  const status = (error as { readonly status?: unknown }).status;
  const message = error instanceof Error ? error.message : String(error);
  if (typeof status === 'number' && status < 500) return { status, code: 'invalid_input', message };
  return { status: 500, code: 'internal_error', message };
}
