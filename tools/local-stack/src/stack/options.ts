import { parseArgs } from 'node:util';
import { StartError } from '@artist-watch/runtime/settings/start-failure';

export interface StackOptions {
  /** Written in one piece when all is ready, and again after each restart. */
  readonly readyFile: string | undefined;
  /** Replicas of each service. */
  readonly replicas: {
    readonly api: number;
    readonly ingest: number;
    readonly workers: number;
    readonly proxies: number;
    /** 0: no dashboard, and no mailbox. */
    readonly dashboards: number;
  };
  /** Kept between runs; a temporary directory, removed at the end, when left out. */
  readonly dataDirectory: string | undefined;
  /** Besides the Business account and its key, which are always there: `demo` watches artists. */
  readonly seed: 'demo' | 'empty';
  /** Watch the real platform (`PLATFORM`), or what answers at `PLATFORM_URL`: no simulator is started. */
  readonly real: boolean;
  /** Start a child again when it ends unasked. */
  readonly restart: boolean;
}

export const usage = `Usage: pnpm stack up [options]

  --ready-file FILE   write addresses, keys and process ids there (JSON) when all is ready
  --api N             replicas of the API (1)
  --ingest N          replicas of change-ingest (1)
  --workers N         replicas of webhook-worker (1)
  --proxies N         replicas of egress-proxy (1)
  --dashboards N      replicas of the dashboard (1); 0 for none, and no mailbox
  --data DIR          keep data, secrets and logs there between runs
  --seed demo|empty   watch a few artists, or nothing (demo)
  --real              watch the real platform of PLATFORM (Deezer unless given): docs/real-platforms.md
  --restart           start a child again when it ends unasked

Every setting of the services passes through from the environment.`;

const mostReplicas = 50;

/** @throws StartError with one sentence for the first thing that is wrong. */
export function parseStackOptions(args: readonly string[]): StackOptions {
  const { values, positionals } = parse(args);
  if (positionals.length > 0) throw new StartError(`Unexpected argument "${positionals[0]}".`);
  return {
    readyFile: path('ready-file', values['ready-file']),
    replicas: {
      api: count('api', values.api),
      ingest: count('ingest', values.ingest),
      workers: count('workers', values.workers),
      proxies: count('proxies', values.proxies),
      dashboards: count('dashboards', values.dashboards, 0),
    },
    dataDirectory: path('data', values.data),
    seed: seed(values.seed),
    real: values.real ?? false,
    restart: values.restart ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        'ready-file': { type: 'string' },
        api: { type: 'string' },
        ingest: { type: 'string' },
        workers: { type: 'string' },
        proxies: { type: 'string' },
        dashboards: { type: 'string' },
        data: { type: 'string' },
        seed: { type: 'string' },
        real: { type: 'boolean' },
        restart: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new StartError(`${(error as Error).message.split('. ')[0]}.`);
  }
}

function path(option: string, text: string | undefined): string | undefined {
  if (text === '') throw new StartError(`--${option} needs a path.`);
  return text;
}

function count(option: string, text = '1', fewest = 1): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= fewest && value <= mostReplicas) return value;
  throw new StartError(`--${option} ${text} is not a whole number from ${fewest} to ${mostReplicas}.`);
}

function seed(text = 'demo'): 'demo' | 'empty' {
  if (text === 'demo' || text === 'empty') return text;
  throw new StartError(`--seed ${text} is not one of demo, empty.`);
}
