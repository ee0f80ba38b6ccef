import { libraryNames } from '@artist-watch/platform-simulator/scenario/scenario-file';
import { scenariosOn } from './playing-scenarios.js';

const LEFT_OUT: readonly string[] = [
  // A list of more pages lies more often: its removal is found, but later than the scenario says.
  'totals-lie',
  // No market is named in development mode, which market-opens-and-closes shows as well, with a sixth of the readings.
  'markets-withdrawn',
];

scenariosOn('Spotify, as an app in development mode', {
  platform: 'spotify',
  quirks: { developmentMode: 1 },
  names: libraryNames().filter((name) => !LEFT_OUT.includes(name)),
  hidden: ['label_changed', 'availability_reduced', 'availability_expanded', 'followers_spike'],
});
