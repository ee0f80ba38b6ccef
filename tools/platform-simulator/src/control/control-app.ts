import type { ErrorRequestHandler, Express } from 'express';
import express from 'express';
import { z } from 'zod';
import type { QuotaLimits, RequestLog } from '../platform-context.js';
import { UnknownEntityError } from '../world/world.js';
import { type ControlTarget, runCommand, UnknownCommandError } from './commands.js';

export interface Control extends ControlTarget {
  readonly platform: string;
  readonly log: RequestLog;
  quota(): QuotaLimits | undefined;
}

export function createControlApp(control: Control): Express {
  const { log, world } = control;
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

  app.use((request, response) => {
    response.json(runCommand(control, request.method, request.path, request.body));
  });
  app.use(sendError);
  return app;
}

const sendError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  const { status, code, message } = explain(error);
  response.status(status).json({ error: { code, message } });
};

function explain(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof UnknownEntityError || error instanceof UnknownCommandError) {
    return { status: 404, code: 'not_found', message: error.message };
  }
  if (error instanceof z.ZodError) return { status: 400, code: 'invalid_input', message: z.prettifyError(error) };
  const status = (error as { readonly status?: unknown }).status;
  const message = error instanceof Error ? error.message : String(error);
  if (typeof status === 'number' && status < 500) return { status, code: 'invalid_input', message };
  return { status: 500, code: 'internal_error', message };
}
