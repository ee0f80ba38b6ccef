import { type Response, Router } from 'express';
import type { PlatformContext, TroubleWording } from '../platform-context.js';
import { sendDistorted } from '../quirks/distort.js';
import { misbehave } from '../quirks/misbehave.js';
import { RequestQuota } from '../request-quota.js';
import { recordingObject } from './shapes.js';

const HELP = 'For usage, please see: https://musicbrainz.org/development/mmd';
const TOO_FAST =
  'Your requests are exceeding the allowable rate limit. Please see http://wiki.musicbrainz.org/XMLWebService for more information.';

/** musicbrainz.org/doc/MusicBrainz_API/Rate_Limiting: one request a second for each address, on average. */
const QUOTA = { requests: 10, windowMs: 10_000 };

function sendError(response: Response, status: number, error: string): void {
  response
    .status(status)
    .type('json')
    .send(JSON.stringify({ error, help: HELP }));
}

const troubles: TroubleWording = {
  noData: (response) => sendError(response, 404, 'Not Found'),
  quota: (response) => sendError(response, 503, TOO_FAST),
  busy: (response) => sendError(response, 503, 'The MusicBrainz web server is currently busy. Please try again later.'),
};

/** The look-up by ISRC of musicbrainz.org, which knows the same recordings as the simulated platform. */
export function musicBrainzRouter(platform: PlatformContext): Router {
  const own = new RequestQuota(QUOTA);
  const context: PlatformContext = {
    ...platform,
    // Lifted together with the platform's own.
    quota: { admit: (client, nowMs) => (platform.quota.isLifted ? 0 : own.admit(client, nowMs)), isLifted: false },
  };
  const router = Router();
  router.use(misbehave(context, troubles));

  router.get('/isrc/:isrc', (request, response) => {
    const { isrc } = request.params;
    if (!request.headers['user-agent']) return sendError(response, 403, 'Please send a meaningful User-Agent.');
    if (!/^[A-Z]{2}[A-Z0-9]{3}[0-9]{7}$/.test(isrc)) return sendError(response, 400, 'Invalid isrc.');
    if (request.query.fmt !== 'json') return sendError(response, 406, 'Only fmt=json is simulated.');
    const tracks = context.world.tracksByIsrc(isrc);
    if (tracks.length === 0) return troubles.noData(response);
    const inc = new Set(String(request.query.inc ?? '').split(/[+ ]/));
    const body = { isrc, recordings: [recordingObject(context.world, isrc, tracks, inc)] };
    sendDistorted(context, response, body, {
      items: 'recordings',
      total: undefined,
      mapLists: (answer, twist) => twist(answer),
      zeroFollowers: (answer) => answer,
    });
  });

  router.use((_, response) => sendError(response, 404, 'Not Found'));
  return router;
}
