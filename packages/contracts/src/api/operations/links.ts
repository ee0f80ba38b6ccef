import type { AnswerLink } from './operation.js';

/**
 * The links between answers, by which a program that knows nothing but the document goes from a change to what is known
 * of it and to who was notified. Of each kind of thing: the operation, which of its parameters takes which field of the
 * thing, and what is found there.
 */
const LINKS = {
  change: {
    change: ['showChange', 'id', 'id', 'What happened, and how it is known.'],
    deliveries: ['listDeliveries', 'change', 'id', 'Which destinations were notified of it.'],
    artist: ['showArtist', 'id', 'artist_id', 'Whose change it is.'],
  },
  delivery: {
    delivery: ['showDelivery', 'id', 'id', 'What was sent, and what came of it.'],
    destination: ['showDestination', 'id', 'destination_id', 'The destination; 404 after its deletion.'],
    change: ['showChange', 'id', 'change_id', 'What it is about; of a test, nothing.'],
    resend: ['resendDelivery', 'id', 'id', 'Sends it once more.'],
  },
  destination: {
    destination: ['showDestination', 'id', 'id', 'Its state.'],
    deliveries: ['listDeliveries', 'destination', 'id', 'What it was notified of.'],
    rotate_secret: ['rotateSecret', 'id', 'id', 'Shows its next secret.'],
    activate_secret: ['activateSecret', 'id', 'id', 'Activates the next secret.'],
  },
  artist: {
    artist: ['showArtist', 'id', 'id', 'The artist.'],
    changes: ['listChanges', 'artist_id', 'id', 'What changed.'],
    checks: ['listArtistChecks', 'id', 'id', 'Suspected changes.'],
    metrics: ['readArtistMetrics', 'id', 'id', 'Its numbers by day.'],
    releases: ['listArtistReleases', 'id', 'id', 'Its catalogue.'],
  },
} as const;

/**
 * @param kind of the thing that is answered. It does not lead to itself, but from a list it does.
 * @param place where it stands in the answer: it is the answer, or an item of the list.
 */
export function linksOf(kind: keyof typeof LINKS, place: '' | '/data/0'): Readonly<Record<string, AnswerLink>> {
  const links = Object.entries(LINKS[kind]).map(([name, [operationId, parameter, field, found]]) => {
    const description = place === '' ? found : `${found} Of each item in the same way.`;
    return [name, { operationId, parameters: { [parameter]: `${place}/${field}` }, description }];
  });
  return Object.fromEntries(links.filter(([name]) => place !== '' || name !== kind));
}
