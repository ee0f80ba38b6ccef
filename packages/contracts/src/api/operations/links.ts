import type { AnswerLink } from './operation.js';

/** Each entry lists the operation, its parameter, the response field that provides the value, and a description. */
const LINKS = {
  change: {
    change: ['showChange', 'id', 'id', 'The change with its evidence.'],
    deliveries: ['listDeliveries', 'change', 'id', 'Deliveries of the change.'],
    artist: ['showArtist', 'id', 'artist_id', 'The artist of the change.'],
  },
  delivery: {
    delivery: ['showDelivery', 'id', 'id', 'The delivery with its request and attempts.'],
    destination: ['showDestination', 'id', 'destination_id', 'The destination, or 404 if it was deleted.'],
    change: ['showChange', 'id', 'change_id', 'The change that was delivered. A test has none.'],
    resend: ['resendDelivery', 'id', 'id', 'Sends the delivery again.'],
  },
  destination: {
    destination: ['showDestination', 'id', 'id', 'The destination.'],
    deliveries: ['listDeliveries', 'destination', 'id', 'The deliveries to the destination.'],
    rotate_secret: ['rotateSecret', 'id', 'id', 'Creates the next secret.'],
    activate_secret: ['activateSecret', 'id', 'id', 'Activates the next secret.'],
  },
  artist: {
    artist: ['showArtist', 'id', 'id', 'The artist.'],
    changes: ['listChanges', 'artist_id', 'id', 'The changes to the artist and its releases and tracks.'],
    checks: ['listArtistChecks', 'id', 'id', 'Suspected changes.'],
    metrics: ['readArtistMetrics', 'id', 'id', "The artist's daily numbers."],
    releases: ['listArtistReleases', 'id', 'id', 'The releases of the artist.'],
  },
} as const;

/**
 * @param kind the resource in the response. A resource that is the whole response gets no link to itself.
 * @param place JSON pointer to the resource, which is either the whole response or the first item in a list
 */
export function linksOf(kind: keyof typeof LINKS, place: '' | '/data/0'): Readonly<Record<string, AnswerLink>> {
  const links = Object.entries(LINKS[kind]).map(([name, [operationId, parameter, field, found]]) => {
    const description = place === '' ? found : `${found} Other items have the same links.`;
    return [name, { operationId, parameters: { [parameter]: `${place}/${field}` }, description }];
  });
  return Object.fromEntries(links.filter(([name]) => place !== '' || name !== kind));
}
