import { parseArgs } from 'node:util';
import { StartError } from '@artist-watch/runtime/settings/start-failure';

export interface StackOptions {
  /** Written atomically once everything is ready, and again after each restart. */
  readonly readyFile: string | undefined;
  readonly replicas: {
    readonly api: number;
    readonly ingest: number;
    readonly workers: number;
    readonly proxies: number;
    /** If 0, there is no mailbox either. */
    readonly dashboards: number;
  };
  /** Default: a temporary directory. */
  readonly dataDirectory: string | undefined;
  /** Both create an account on the Business plan, but only `demo` watches artists. */
  readonly seed: 'demo' | 'empty';
  /** Watches the real platform (`PLATFORM`, or `PLATFORM_URL`) instead of a simulator. */
  readonly real: boolean;
  readonly restart: boolean;
}

export const usage = `Usage: pnpm stack up [options]

  --ready-file FILE   write URLs, keys and process ids as JSON when everything is ready
  --api N             replicas of the API (1)
  --ingest N          replicas of change-ingest (1)
  --workers N         replicas of webhook-worker (1)
  --proxies N         replicas of egress-proxy (1)
  --dashboards N      replicas of the dashboard (1); 0 for no dashboard and no mailbox
  --data DIR          keep data, secrets and logs in DIR between runs
  --seed demo|empty   watch a few artists, or none (demo)
  --real              watch the real platform of PLATFORM (default: deezer): docs/real-platforms.md
  --restart           restart a process that ends unexpectedly

All settings in the environment apply to the services.`;

const maxReplicas = 50;

/** @throws StartError for the first invalid option. */
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

function count(option: string, text = '1', min = 1): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= maxReplicas) return value;
  throw new StartError(`--${option} ${text} is not a whole number from ${min} to ${maxReplicas}.`);
}

function seed(text = 'demo'): 'demo' | 'empty' {
  if (text === 'demo' || text === 'empty') return text;
  throw new StartError(`--seed ${text} is not one of demo, empty.`);
}
