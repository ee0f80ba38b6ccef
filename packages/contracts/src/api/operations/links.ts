import type { AnswerLink } from './operation.js';

/**
 * The links between answers, by which a program that knows nothing but the document goes from a change to what is known
 * of it and to who was notified.
 */

/** Where the thing stands in the answer: it is the answer, or an item of the list. */
type Place = '' | '/data/0';

const FIRST = ' Of each item in the same way.';

function link(operationId: string, parameter: string, pointer: `/${string}`, description: string): AnswerLink {
  const ofItem = pointer.startsWith('/data/0') ? FIRST : '';
  return { operationId, parameters: { [parameter]: pointer }, description: `${description}${ofItem}` };
}

/** What a change leads to. */
export function linksOfChange(item: Place): Readonly<Record<string, AnswerLink>> {
  return {
    ...(item !== '' && { change: link('showChange', 'id', `${item}/id`, 'What happened, and how it is known.') }),
    deliveries: link('listDeliveries', 'change', `${item}/id`, 'Which destinations were notified of it.'),
    artist: link('showArtist', 'id', `${item}/artist_id`, 'Whose change it is.'),
  };
}

/** What a delivery leads to. */
export function linksOfDelivery(item: Place): Readonly<Record<string, AnswerLink>> {
  return {
    ...(item !== '' && { delivery: link('showDelivery', 'id', `${item}/id`, 'What was sent, and what came of it.') }),
    destination: link('showDestination', 'id', `${item}/destination_id`, 'Who was notified; 404 once it is deleted.'),
    change: link('showChange', 'id', `${item}/change_id`, 'What it is about; of a test, nothing.'),
    resend: link('resendDelivery', 'id', `${item}/id`, 'Sends it once more.'),
  };
}

/** What a destination leads to. */
export function linksOfDestination(item: Place): Readonly<Record<string, AnswerLink>> {
  return {
    ...(item !== '' && { destination: link('showDestination', 'id', `${item}/id`, 'Its state.') }),
    deliveries: link('listDeliveries', 'destination', `${item}/id`, 'What it was notified of.'),
    rotate_secret: link('rotateSecret', 'id', `${item}/id`, 'Shows its next secret.'),
    activate_secret: link('activateSecret', 'id', `${item}/id`, 'Puts the next secret in force.'),
  };
}

/** What an artist leads to. */
export function linksOfArtist(item: Place): Readonly<Record<string, AnswerLink>> {
  return {
    ...(item !== '' && { artist: link('showArtist', 'id', `${item}/id`, 'The artist by itself.') }),
    changes: link('listChanges', 'artist_id', `${item}/id`, 'What changed.'),
    checks: link('listArtistChecks', 'id', `${item}/id`, 'What is suspected at this moment.'),
    metrics: link('readArtistMetrics', 'id', `${item}/id`, 'Its numbers by day.'),
    releases: link('listArtistReleases', 'id', `${item}/id`, 'Its catalogue.'),
  };
}
