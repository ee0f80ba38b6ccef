import { readFileSync } from 'node:fs';
import { readConfig as readApiConfig } from '@artist-watch/api/config';
import { readConfig as readIngestConfig } from '@artist-watch/change-ingest/config';
import { knownSettings } from '@artist-watch/cli/doctor/known-settings';
import { readConfig as readDashboardConfig } from '@artist-watch/dashboard/config';
import { readConfig as readEgressConfig } from '@artist-watch/egress-proxy/config';
import { readSettings, SettingsError } from '@artist-watch/runtime/settings/settings';
import { readConfig as readWorkerConfig } from '@artist-watch/webhook-worker/config';
import { describe, expect, test } from '@jest/globals';

type Environment = Readonly<Record<string, string | undefined>>;

const services = {
  api: readApiConfig,
  'change-ingest': readIngestConfig,
  'webhook-worker': readWorkerConfig,
  dashboard: readDashboardConfig,
  'egress-proxy': readEgressConfig,
} as const;

/** Each kind of setting accepts one of these values. No kind accepts a few of them. */
const samples = [
  ...[
    '0',
    '1',
    '2',
    '-1',
    '0.5',
    '1.5',
    '999',
    '1001',
    '10001',
    '65536',
    '99999999',
    '1m',
    '10s',
    '25d',
    '1m,5m',
    '1m,x',
  ],
  ...[
    'nonsense',
    'DE',
    'de',
    'debug',
    'spotify',
    '10.0.0.0/8',
    '10.0.0.0/99',
    ',',
    'http://proxy:3128',
    'http://a,ftp://b',
  ],
  ...[
    'postgres://db/name',
    'redis://db',
    'smtp://mail:587',
    'mail@artist-watch.test',
    `${'A'.repeat(43)}=`,
    `${'A'.repeat(43)}=,x`,
  ],
];

function namesThatAreRead(read: (env: Environment) => unknown): string[] {
  const names = new Set<string>();
  mistakesOf(() => read(new Proxy({}, { get: (_env, name) => void names.add(String(name)) }) as Environment));
  return [...names];
}

function mistakesOf(read: () => unknown): readonly string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
}

const read = Object.entries(services).flatMap(([service, readConfig]) =>
  namesThatAreRead((env) => readConfig(env as NodeJS.ProcessEnv)).map((name) => ({ service, name, readConfig })),
);

test('the doctor knows every setting of every service, and no others', () => {
  expect(Object.keys(knownSettings).sort()).toEqual([...new Set(read.map(({ name }) => name))].sort());
});

test('docs/settings.md lists every setting of every service', () => {
  const page = readFileSync(new URL('../../docs/settings.md', import.meta.url), 'utf8');
  expect(Object.keys(knownSettings).filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([]);
});

describe('the doctor rejects a setting if and only if a service would not start with it', () => {
  test.each(Object.keys(knownSettings))('%s', (name) => {
    const type = knownSettings[name as keyof typeof knownSettings];
    for (const text of samples) {
      const byServices = read
        .filter((one) => one.name === name)
        .some(({ readConfig }) =>
          mistakesOf(() => readConfig({ [name]: text } as NodeJS.ProcessEnv)).some((mistake) =>
            mistake.startsWith(`${name} `),
          ),
        );
      const byDoctor = mistakesOf(() => readSettings({ [name]: type }, { [name]: text })).length > 0;
      expect({ name, text, refused: byDoctor }).toEqual({ name, text, refused: byServices });
    }
  });
});
