import { libraryNames } from '@artist-watch/platform-simulator/scenario/scenario-file';
import { scenariosOn } from './playing-scenarios.js';

/** Development mode cannot show these scenarios. */
const LEFT_OUT: readonly string[] = [
  // The list has more pages, so failures affect it more often and the removal is found later.
  'totals-lie',
  // Responses contain neither markets nor followers.
  'markets-withdrawn',
  'followers-glitch-and-spike',
];

scenariosOn('Spotify, as an app in development mode', {
  platform: 'spotify',
  quirks: { developmentMode: 1 },
  names: libraryNames().filter((name) => !LEFT_OUT.includes(name)),
  hidden: ['label_changed', 'availability_reduced', 'availability_expanded', 'followers_spike'],
});
