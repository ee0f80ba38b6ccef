import { readSettings, SettingsError } from '@artist-watch/runtime/settings/settings';
import { type Finding, fault, ok } from '../finding.js';
import { knownSettings, type ReadableSettings } from '../known-settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads each setting by itself, so that what is well can be used where another is wrong. */
export function examineSettings(env: Environment): {
  readonly settings: ReadableSettings;
  readonly findings: readonly Finding[];
} {
  const settings: Record<string, unknown> = {};
  const findings: Finding[] = [];
  for (const [name, type] of Object.entries(knownSettings)) {
    try {
      Object.assign(settings, readSettings({ [name]: type }, env));
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      for (const mistake of error.mistakes)
        findings.push(fault(`settings.${name}`, `${mistake}.`, mendOf(name, mistake)));
    }
  }
  if (settings.PLATFORM === 'spotify') findings.push(...spotifyCredentials(settings));
  const given = Object.keys(knownSettings).filter((name) => env[name]?.trim());
  if (findings.length === 0)
    findings.push(ok('settings', `Given: ${given.length}; none is wrong, and none is missing.`));
  return { settings, findings };
}

function mendOf(name: string, mistake: string): string {
  if (name === 'ENCRYPTION_KEY' && mistake.endsWith('is missing')) {
    return 'Set it to the key that the services have. For a new installation: openssl rand -base64 32.';
  }
  return mistake.endsWith('is missing')
    ? `Set ${name}, here and where the services have their settings.`
    : `Mend ${name}: a service that reads it does not start with it.`;
}

function spotifyCredentials(settings: ReadableSettings): Finding[] {
  return (['SPOTIFY_CLIENT_ID', 'SPOTIFY_CLIENT_SECRET'] as const)
    .filter((name) => settings[name] === undefined)
    .map((name) =>
      fault(
        `settings.${name}`,
        `${name} is missing, and PLATFORM is spotify.`,
        'Take both from the app in the dashboard of Spotify for Developers.',
      ),
    );
}
