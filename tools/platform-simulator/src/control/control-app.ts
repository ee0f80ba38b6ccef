import { decimal } from '@artist-watch/runtime/settings/settings';
import type { ErrorRequestHandler, Express } from 'express';
import express from 'express';
import { z } from 'zod';
import type { QuotaLimits, RequestLog } from '../platform-context.js';
import { ScenarioFileError } from '../scenario/cast.js';
import { checkScenario, readScenario } from '../scenario/scenario-file.js';
import { type ScenarioRunner, type StagedStep, stageScenario } from '../scenario/staged-scenario.js';
import { UnknownEntityError } from '../world/world.js';
import { type ControlTarget, prepareCommand, UnknownCommandError } from './commands.js';

const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/plain'];

export interface Control extends ControlTarget {
  readonly platform: string;
  readonly log: RequestLog;
  readonly scenarios: ScenarioRunner;
  quota(): QuotaLimits | undefined;
}

/** How many times as fast as it says a scenario is played. */
const speedSchema = decimal({ min: 0.01, max: 100_000 });

/** The control server: shows and changes the state of the simulated platform. It is not part of any platform's API. */
export function createControlApp(control: Control): Express {
  const { log, scenarios, world } = control;
  const app = express();
  app.disable('x-powered-by');
  app.use(express.json({ limit: '5mb' }));
  app.use(express.text({ limit: '5mb', type: YAML_TYPES }));

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

  app.get('/scenario', (_, response) => {
    response.json({ steps: scenarios.progress() });
  });
  app.post('/scenario', (request, response) => {
    const { body } = request;
    const speed = speedSchema.parse(request.query.speed ?? '1');
    if (typeof body === 'object' && body !== null && 'steps' in body) {
      scenarios.start(stageControlSteps(body, control), speed);
      response.status(202).json({ steps: scenarios.progress() });
      return;
    }
    const scenario = typeof body === 'string' ? readScenario(body) : checkScenario(body);
    const { cast, watched, steps } = stageScenario(scenario, control);
    scenarios.start(steps, speed);
    const { name } = scenario;
    response.status(202).json({ name, cast: cast.entries(), watched, steps: scenarios.progress() });
  });
  app.delete('/scenario', (_, response) => {
    scenarios.cancel();
    response.status(204).end();
  });

  app.use((request, response) => {
    response.json(prepareCommand(request.method, request.path, request.body)(control));
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
  if (error instanceof ScenarioFileError) return { status: 400, code: 'invalid_input', message: error.message };
  if (error instanceof z.ZodError) return { status: 400, code: 'invalid_input', message: z.prettifyError(error) };
  const status = (error as { readonly status?: unknown }).status;
  const message = error instanceof Error ? error.message : String(error);
  if (typeof status === 'number' && status < 500) return { status, code: 'invalid_input', message };
  return { status: 500, code: 'internal_error', message };
}

/** Timed control commands, for what the language of scenarios has no word for. */
const controlStepsSchema = z.strictObject({
  steps: z
    .array(
      z.strictObject({
        /** Milliseconds from the moment in which they are given. */
        afterMs: z.number().int().min(0).max(86_400_000),
        method: z.enum(['POST', 'PATCH', 'PUT']).default('POST'),
        path: z.string(),
        body: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(1_000),
});

/** Checks every command before any of them is taken up. Throws as `prepareCommand`. */
export function stageControlSteps(body: unknown, target: ControlTarget): StagedStep[] {
  return controlStepsSchema.parse(body).steps.map(({ afterMs, method, path, body: commandBody }) => {
    const run = prepareCommand(method, path, commandBody);
    return { afterMs, what: `${method} ${path}`, run: () => void run(target) };
  });
}
