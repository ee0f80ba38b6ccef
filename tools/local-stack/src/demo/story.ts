import { setTimeout as sleep } from 'node:timers/promises';
import { type Artist, ArtistWatchClient } from '@artist-watch/client';
import { StartError } from '@artist-watch/runtime/settings/start-failure';
import pg from 'pg';
import type { PlatformControl, PlatformRelease } from '../stack/platform-control.js';
import type { ReadyState } from '../stack/ready-file.js';
import type { ChannelMessage, DemoChannels } from './demo-channels.js';
import type { DemoMember } from './demo-member.js';
import type { DemoReceiver, ReceivedWebhook } from './demo-receiver.js';
import { type Narrator, waitFor } from './narrator.js';

export interface StoryParts {
  readonly stack: Pick<ReadyState, 'apiUrl' | 'apiKey'>;
  readonly platform: PlatformControl;
  readonly receiver: DemoReceiver;
  /** Undefined if the egress proxies cannot reach this machine. */
  readonly channels?: DemoChannels;
  readonly member?: DemoMember | undefined;
  readonly window: SuspicionWindow;
  readonly narrator: Narrator;
  readonly signal: AbortSignal;
}

const watchedArtists = 3;
const pauseBeforeRemovalMs = 2_000;

export interface Ending {
  readonly destinationId: string;
  readonly changeId: string;
  readonly nextRelease: PlatformRelease | undefined;
}

/** Removes a release and prints how the change is detected, confirmed and delivered. */
export async function tellStory(parts: StoryParts): Promise<Ending> {
  const { stack, narrator, receiver, signal } = parts;
  const api = new ArtistWatchClient({ baseUrl: stack.apiUrl, apiKey: stack.apiKey });

  narrator.begin();
  const artists = await watch(parts, api);
  const destination = await api.call('createDestination', { body: { url: receiver.url } }, { signal });
  receiver.trust(destination.secret ?? '');
  narrator.event(`A destination sends signed webhooks to ${receiver.url} through the egress proxy.`);

  await Promise.all([
    waitFor('the first full check of every artist', () => haveBaselines(parts, artists), signal),
    addPeople(parts, api),
  ]);
  narrator.event('All catalogues were read once. They are the baseline for comparisons.');
  await sleep(pauseBeforeRemovalMs, undefined, { signal });

  const { release, artist, others } = await pickRelease(parts, artists);
  const webhook = nextWebhook(receiver);
  const messages = collectMessages(parts);
  await parts.platform.removeRelease(release.id);
  narrator.event(`REMOVED    "${release.title}" by ${artist.name} was removed from the platform.`);

  const changeId = await showConfirmation(parts, release);
  await showDelivery(parts, webhook, changeId);
  await showMessages(parts, messages, changeId);
  await readBack(parts, api, changeId);
  return { destinationId: destination.id, changeId, nextRelease: others[0] };
}

async function watch({ platform, narrator, signal }: StoryParts, api: ArtistWatchClient): Promise<Artist[]> {
  const candidates = await platform.artistsToWatch(watchedArtists);
  const artists: Artist[] = [];
  for (const { id } of candidates) {
    artists.push(await api.call('watchArtist', { body: { platform_id: id } }, { signal }));
  }
  narrator.event(`A Business account watches ${candidates.map(({ name }) => name).join(', ')}.`);
  return candidates.map((candidate, index) => ({ ...(artists[index] as Artist), name: candidate.name }));
}

async function addPeople({ channels, member, narrator, signal }: StoryParts, api: ArtistWatchClient): Promise<void> {
  if (channels) {
    for (const kind of ['slack', 'discord'] as const) {
      await api.call('createDestination', { body: { kind, url: channels.webhookUrl(kind) } }, { signal });
    }
    narrator.event(
      'A Slack channel and a Discord channel get messages. The simulated servers check the format of each message.',
    );
  }
  await member?.signIn();
  if (member) narrator.event(`${member.email} signed in to the dashboard with an emailed code, and now gets emails.`);
}

function collectMessages({ channels }: StoryParts): ChannelMessage[] {
  const messages: ChannelMessage[] = [];
  channels?.onMessage((message) => messages.push(message));
  return messages;
}

async function showMessages(
  { channels, member, narrator, signal }: StoryParts,
  messages: readonly ChannelMessage[],
  changeId: string,
): Promise<void> {
  for (const platform of channels ? (['slack', 'discord'] as const) : []) {
    const isMatch = (message: ChannelMessage) => message.platform === platform && message.changeId === changeId;
    const { text } = await waitFor(`the message in ${platform}`, async () => messages.find(isMatch), signal);
    narrator.event(`${platform.toUpperCase().padEnd(10)} ${text.split('\n')[0]}`);
  }
  if (member) narrator.event(`EMAILED    to ${member.email}: ${await member.waitForEmail(changeId)}`);
}

async function haveBaselines({ window }: StoryParts, artists: readonly Artist[]): Promise<true | undefined> {
  const read = await window.countBaselines(artists.map((artist) => artist.id));
  return read === artists.length || undefined;
}

/** Picks a release from the largest catalogue, so that removing it does not trip the brake. */
async function pickRelease({ platform }: StoryParts, artists: readonly Artist[]) {
  const catalogues = await Promise.all(
    artists.map(async (artist) => ({
      artist,
      releases: (await platform.listReleases(artist.platform_id)).filter((release) => !release.removed),
    })),
  );
  const [largest] = catalogues.sort((one, other) => other.releases.length - one.releases.length);
  const titles = largest?.releases.map(({ title }) => title) ?? [];
  // The output identifies the release by its title.
  const [release, ...others] = largest?.releases.filter(({ title }) => count(titles, title) === 1) ?? [];
  if (!largest || !release) throw new StartError('The simulated platform has no release to remove.');
  return { artist: largest.artist, release, others };
}

function count(titles: readonly string[], title: string): number {
  return titles.filter((other) => other === title).length;
}

async function showConfirmation({ window, narrator, signal }: StoryParts, release: PlatformRelease): Promise<string> {
  let shown = 0;
  return waitFor(
    `the confirmation of the removal of "${release.title}"`,
    async () => {
      const change = await window.read('release_removed', release.id);
      if (!change) return undefined;
      if (change.observations > shown && change.state !== 'confirmed') {
        shown = change.observations;
        narrator.event(
          `${shown === 1 ? 'DETECTED  ' : 'STILL GONE'} the release is missing (observation ${shown}, ${change.state}).`,
        );
      }
      if (change.state !== 'confirmed') return undefined;
      narrator.event(`CONFIRMED  ${change.changeId}, after ${change.observations} observations.`);
      return change.changeId;
    },
    signal,
  );
}

async function showDelivery({ narrator, signal }: StoryParts, arrival: Promise<ReceivedWebhook>, changeId: string) {
  let arrived: ReceivedWebhook | undefined;
  void arrival.then((webhook) => {
    arrived = webhook;
  });
  const webhook = await waitFor('the webhook', async () => arrived, signal);
  if (webhook.signatureError !== undefined) {
    throw new StartError(`The receiver rejected the webhook's signature: ${webhook.signatureError}.`);
  }
  if (webhook.changeId !== changeId)
    throw new StartError(`The webhook reports the change ${webhook.changeId} instead of ${changeId}.`);
  narrator.event(`SIGNED     X-Service-Signature: ${webhook.signature}`);
  narrator.event(
    `DELIVERED  attempt ${webhook.attempt} arrived through the egress proxy. Signature valid, response 204.`,
  );
  narrator.say(`           ${webhook.body}`);
}

async function readBack({ narrator, signal }: StoryParts, api: ArtistWatchClient, changeId: string): Promise<void> {
  const change = await waitFor(
    'the change in the feed',
    async () => {
      const { data } = await api.call('listChanges', {}, { signal });
      return data.find((item) => item.id === changeId);
    },
    signal,
  );
  narrator.event(`READ BACK  GET /v1/changes: ${change.severity} ${change.type}: ${change.summary}`);
  const settled = await waitFor(
    'the result of the delivery',
    async () => {
      const { data } = await api.call('listDeliveries', { query: { change: changeId } }, { signal });
      return data.find((item) => item.state === 'succeeded');
    },
    signal,
  );
  narrator.event(`           GET /v1/deliveries: ${settled.id} ${settled.state}`);
}

function nextWebhook(receiver: DemoReceiver): Promise<ReceivedWebhook> {
  return new Promise((resolve) => receiver.onWebhook(resolve));
}

/** Customers can't see a change until it is confirmed. */
export interface Suspicion {
  readonly changeId: string;
  readonly state: string;
  readonly observations: number;
}

export interface SuspicionWindow {
  read(type: string, entityId: string): Promise<Suspicion | undefined>;
  countBaselines(artistIds: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

export function openSuspicionWindow(databaseUrl: string): SuspicionWindow {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, application_name: 'demo' });
  pool.on('error', () => undefined);
  return {
    async read(type, entityId) {
      const { rows } = await pool.query<Suspicion>(
        `SELECT id AS "changeId", state::text, jsonb_array_length(observations) AS observations
           FROM changes WHERE type = $1 AND entity_id = $2 ORDER BY id DESC LIMIT 1`,
        [type, entityId],
      );
      return rows[0];
    },
    async countBaselines(artistIds) {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM baselines WHERE artist_id = ANY($1)',
        [artistIds],
      );
      return rows[0]?.count ?? 0;
    },
    close: () => pool.end(),
  };
}
