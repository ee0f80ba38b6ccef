import { libraryNames } from '@artist-watch/platform-simulator/scenario/scenario-file';
import { scenariosOn } from './playing-scenarios.js';

/** A list of more pages lies more often: its removal is found, but later than the scenario says. */
const LATER_IN_SMALL_PAGES = 'totals-lie';

scenariosOn('Spotify, as an app in development mode', {
  platform: 'spotify',
  quirks: { developmentMode: 1 },
  names: libraryNames().filter((name) => name !== LATER_IN_SMALL_PAGES),
  hidden: ['label_changed', 'availability_reduced', 'availability_expanded', 'followers_spike'],
});
