import { createServer, type Server } from 'node:http';
import { type Clock, systemClock } from '@artist-watch/runtime/clock';
import { listen } from '@artist-watch/runtime/settings/start-failure';
import express, { type Router } from 'express';
import { createControlApp } from './control/control-app.js';
import { deezerRouter } from './deezer/router.js';
import { picturesRouter } from './pictures.js';
import { type PlatformContext, type QuotaLimits, RequestLog, RequestQuota } from './platform-context.js';
import { QuirkDice } from './quirks/quirk-dice.js';
import { type QuirksInput, quirksSchema } from './quirks/quirks.js';
import type { Scenario } from './scenario/scenario-file.js';
import { type StagedScenario, stageScenario } from './scenario/staged-scenario.js';
import { spotifyRouter } from './spotify/router.js';
import { Additions } from './world/additions.js';
import { generateWorld } from './world/generate.js';
import { deezerId, type IdForm, spotifyId } from './world/id-form.js';
import type { World } from './world/world.js';

export type SimulatedPlatform = 'deezer' | 'spotify';

export interface PlatformSimulatorOptions {
  readonly platform: SimulatedPlatform;
  /** Determines the catalogue and the effects of the quirks. */
  readonly seed: string | number;
  /** Default: 25. */
  readonly artists?: number;
  /** Default: any free port. */
  readonly port?: number;
  readonly controlPort?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  readonly quirks?: QuirksInput;
  /** Default: the real platform's quota. */
  readonly budget?: QuotaLimits | 'unlimited';
  /** ISO 3166-1 alpha-2. Default: `FR`. */
  readonly homeCountry?: string;
  readonly clock?: Clock;
}

export interface PlatformSimulator {
  readonly url: string;
  readonly controlUrl: string;
  /** Lets tests in the same process read and change the catalogue directly. */
  readonly state: World;
  readonly additions: Additions;
  readonly requests: RequestLog;
  /**
   * Replaces all quirks.
   * @throws ZodError
   */
  setQuirks(quirks: QuirksInput): void;
  setQuota(limits: QuotaLimits | 'unlimited'): void;
  /** Performs the actions that have no scheduled time. The test performs the others. */
  stage(scenario: Scenario): StagedScenario;
  stop(): Promise<void>;
}

interface Dialect {
  readonly idOf: IdForm;
  readonly quota: QuotaLimits;
  router(context: PlatformContext): Router;
}

const DIALECTS: Readonly<Record<SimulatedPlatform, Dialect>> = {
  // developers.deezer.com documents 50 requests per 5 seconds per IP address, but in practice Deezer started rejecting
  // requests at about the 37th.
  deezer: { idOf: deezerId, quota: { requests: 36, windowMs: 5_000 }, router: deezerRouter },
  // The only thing Spotify says about its limit is that it applies to a 30-second window.
  spotify: { idOf: spotifyId, quota: { requests: 180, windowMs: 30_000 }, router: spotifyRouter },
};

const DEFAULT_ARTISTS = 25;
const LOOPBACK = '127.0.0.1';

/** Longer than any pause between polls, so that no request arrives on a connection that the server is closing. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

export async function startPlatformSimulator(options: PlatformSimulatorOptions): Promise<PlatformSimulator> {
  const dialect = DIALECTS[options.platform];
  const seed = String(options.seed);
  const host = options.host ?? LOOPBACK;
  const world = generateWorld({ seed, artists: options.artists ?? DEFAULT_ARTISTS, idOf: dialect.idOf });
  const additions = new Additions(world, seed);
  const dice = new QuirkDice(seed);
  dice.quirks = quirksSchema.parse(options.quirks ?? {});
  const quota = new RequestQuota(toLimits(options.budget ?? dialect.quota));
  const log = new RequestLog();
  const clock = options.clock ?? systemClock;
  const context: PlatformContext = { world, dice, quota, log, clock, homeCountry: options.homeCountry ?? 'FR' };

  const target = {
    world,
    additions,
    quirks: () => dice.quirks,
    setQuirks: (quirks: QuirksInput) => {
      dice.quirks = quirksSchema.parse(quirks);
    },
    setQuota: (limits: QuotaLimits | undefined) => {
      quota.limits = limits;
    },
  };

  const platformApp = express();
  platformApp.disable('x-powered-by');
  platformApp.disable('etag');
  platformApp.use(picturesRouter());
  platformApp.use(dialect.router(context));
  const controlApp = createControlApp({
    ...target,
    platform: options.platform,
    log,
    quota: () => quota.limits,
  });

  const platformServer = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, platformApp);
  const controlServer = createServer(controlApp);
  const stop = async () => {
    await Promise.all([close(platformServer), close(controlServer)]);
  };
  try {
    const port = await listen(platformServer, { port: options.port ?? 0, host, setting: 'SIMULATOR_PORT' });
    const controlPort = await listen(controlServer, {
      port: options.controlPort ?? 0,
      host,
      setting: 'SIMULATOR_CONTROL_PORT',
    });
    return {
      url: `http://${host}:${port}`,
      controlUrl: `http://${host}:${controlPort}`,
      state: world,
      additions,
      requests: log,
      setQuirks: target.setQuirks,
      setQuota: (limits) => target.setQuota(toLimits(limits)),
      stage: (scenario) => stageScenario(scenario, target),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function toLimits(budget: QuotaLimits | 'unlimited'): QuotaLimits | undefined {
  return budget === 'unlimited' ? undefined : budget;
}

function close(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeAllConnections();
  });
}
