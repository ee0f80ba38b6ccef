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
  /** Where the egress reaches this machine by its address. */
  readonly channels?: DemoChannels;
  readonly member?: DemoMember | undefined;
  readonly window: SuspicionWindow;
  readonly narrator: Narrator;
  readonly signal: AbortSignal;
}

const watchedArtists = 3;
const pauseBeforeRemovalMs = 2_000;

/** What is left to play with after the story. */
export interface Ending {
  readonly destinationId: string;
  readonly changeId: string;
  /** A release that is still there, for a reader who wants to remove one too. */
  readonly nextRelease: PlatformRelease | undefined;
}

/** One removed release on its whole way: seen, confirmed, signed, delivered, read back. */
export async function tellStory(parts: StoryParts): Promise<Ending> {
  const { stack, narrator, receiver, signal } = parts;
  const api = new ArtistWatchClient({ baseUrl: stack.apiUrl, apiKey: stack.apiKey });

  narrator.begin();
  const artists = await watch(parts, api);
  const destination = await api.call('createDestination', { body: { url: receiver.url } }, { signal });
  receiver.trust(destination.secret ?? '');
  narrator.event(`A destination sends its signed webhooks to ${receiver.url}, through the egress proxy.`);

  await Promise.all([
    waitFor('the first complete reading of every artist', () => whenAllRead(parts, artists), signal),
    addPeople(parts, api),
  ]);
  narrator.event('Every catalogue has been read once; that is the baseline.');
  await sleep(pauseBeforeRemovalMs, undefined, { signal });

  const { release, artist, others } = await pickRelease(parts, artists);
  const webhook = nextWebhook(receiver);
  const messages = messagesIn(parts);
  await parts.platform.removeRelease(release.id);
  narrator.event(`REMOVED    "${release.title}" by ${artist.name} is gone from the platform.`);

  const changeId = await confirmation(parts, release);
  await delivery(parts, webhook, changeId);
  await people(parts, messages, changeId);
  await readBack(parts, api, changeId);
  return { destinationId: destination.id, changeId, nextRelease: others[0] };
}

async function watch({ platform, narrator, signal }: StoryParts, api: ArtistWatchClient): Promise<Artist[]> {
  const candidates = await platform.artistsToWatch(watchedArtists);
  const artists: Artist[] = [];
  for (const { id } of candidates) {
    artists.push(await api.call('watchArtist', { body: { platform_id: id } }, { signal }));
  }
  narrator.event(`An account on the Business plan watches ${candidates.map(({ name }) => name).join(', ')}.`);
  return candidates.map((candidate, index) => ({ ...(artists[index] as Artist), name: candidate.name }));
}

/** Who needs no program: two channels, and the owner's mailbox. */
async function addPeople({ channels, member, narrator, signal }: StoryParts, api: ArtistWatchClient): Promise<void> {
  if (channels) {
    for (const kind of ['slack', 'discord'] as const) {
      await api.call('createDestination', { body: { kind, url: channels.addressOf(kind) } }, { signal });
    }
    narrator.event('A Slack and a Discord channel get messages; both check the format that the platforms document.');
  }
  await member?.signIn();
  if (member) narrator.event(`${member.email} signed in to the dashboard with a mailed code, and gets mails now.`);
}

function messagesIn({ channels }: StoryParts): ChannelMessage[] {
  const messages: ChannelMessage[] = [];
  channels?.onMessage((message) => messages.push(message));
  return messages;
}

async function people(
  { channels, member, narrator, signal }: StoryParts,
  messages: readonly ChannelMessage[],
  changeId: string,
): Promise<void> {
  for (const platform of channels ? (['slack', 'discord'] as const) : []) {
    const isIt = (message: ChannelMessage) => message.platform === platform && message.changeId === changeId;
    const { text } = await waitFor(`the message in ${platform}`, async () => messages.find(isIt), signal);
    narrator.event(`${platform.toUpperCase().padEnd(10)} ${text.split('\n')[0]}`);
  }
  if (member) narrator.event(`MAILED     to ${member.email}: ${await member.mailOf(changeId)}`);
}

async function whenAllRead({ window }: StoryParts, artists: readonly Artist[]): Promise<true | undefined> {
  const read = await window.countBaselines(artists.map((artist) => artist.id));
  return read === artists.length || undefined;
}

/** From the artist with the most releases, of whom the removed one is the smallest part. */
async function pickRelease({ platform }: StoryParts, artists: readonly Artist[]) {
  const catalogues = await Promise.all(
    artists.map(async (artist) => ({
      artist,
      releases: (await platform.releasesOf(artist.platform_id)).filter((release) => !release.removed),
    })),
  );
  const [largest] = catalogues.sort((one, other) => other.releases.length - one.releases.length);
  const titles = largest?.releases.map(({ title }) => title) ?? [];
  // Two editions may share a title; a reader should see that it is the removed one which is meant.
  const [release, ...others] = largest?.releases.filter(({ title }) => count(titles, title) === 1) ?? [];
  if (!largest || !release) throw new StartError('The simulated platform has no release to remove.');
  return { artist: largest.artist, release, others };
}

function count(titles: readonly string[], title: string): number {
  return titles.filter((other) => other === title).length;
}

async function confirmation({ window, narrator, signal }: StoryParts, release: PlatformRelease): Promise<string> {
  let shown = 0;
  return waitFor(
    `the removal of "${release.title}" to be confirmed`,
    async () => {
      const change = await window.look('release_removed', release.id);
      if (!change) return undefined;
      if (change.observations > shown && change.state !== 'confirmed') {
        shown = change.observations;
        narrator.event(
          `${shown === 1 ? 'DETECTED  ' : 'SEEN AGAIN'} the release is missing; observation ${shown}, ${change.state}.`,
        );
      }
      if (change.state !== 'confirmed') return undefined;
      narrator.event(`CONFIRMED  ${change.changeId}, after ${change.observations} observations.`);
      return change.changeId;
    },
    signal,
  );
}

async function delivery({ narrator, signal }: StoryParts, arrival: Promise<ReceivedWebhook>, changeId: string) {
  let arrived: ReceivedWebhook | undefined;
  void arrival.then((webhook) => {
    arrived = webhook;
  });
  const webhook = await waitFor('the webhook', async () => arrived, signal);
  if (webhook.refusedBecause !== undefined) {
    throw new StartError(`The receiver refused the webhook's signature: ${webhook.refusedBecause}.`);
  }
  if (webhook.changeId !== changeId)
    throw new StartError(`The webhook is about ${webhook.changeId}, not about ${changeId}.`);
  narrator.event(`SIGNED     X-Service-Signature: ${webhook.signature}`);
  narrator.event(
    `DELIVERED  attempt ${webhook.attempt} came through the egress proxy; its signature is good, answered 204.`,
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
    'the delivery to be settled',
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

/** How far the detector has come with a change; customers see it only once it is confirmed. */
export interface Suspicion {
  readonly changeId: string;
  readonly state: string;
  readonly observations: number;
}

/** Looks over the detector's shoulder, into its database. */
export interface SuspicionWindow {
  /** The newest change of that type of an entity of the platform. */
  look(type: string, entityId: string): Promise<Suspicion | undefined>;
  /** How many of the artists have been read completely once. */
  countBaselines(artistIds: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

export function openSuspicionWindow(databaseUrl: string): SuspicionWindow {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1, application_name: 'demo' });
  pool.on('error', () => undefined);
  return {
    async look(type, entityId) {
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
