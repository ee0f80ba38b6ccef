import { libraryNames } from '@artist-watch/platform-simulator/scenario/scenario-file';
import { scenariosOn } from './playing-scenarios.js';

/** What development mode changes: how releases and their lists are read. `SCENARIOS=all` plays the others too. */
const READING_RELEASES: readonly string[] = [
  ...['removed', 'removed-then-restored', 'label-takedown', 'recordings-elsewhere', 'taken-down-but-answered'],
  ...['moved-release', 'artist-merged', 'reupload', 'new-release', 'odd-items', 'outage-mid-list'],
  'market-opens-and-closes',
];

/** Scenarios that cannot be shown in development mode. */
const LEFT_OUT: readonly string[] = [
  // A list with more pages is wrong more often: its removal is found, but later than the scenario says.
  'totals-lie',
  // Responses contain neither markets nor followers.
  'markets-withdrawn',
  'followers-glitch-and-spike',
];

scenariosOn('Spotify, as an app in development mode', {
  platform: 'spotify',
  quirks: { developmentMode: 1 },
  names: process.env.SCENARIOS === 'all' ? libraryNames().filter((name) => !LEFT_OUT.includes(name)) : READING_RELEASES,
  hidden: ['label_changed', 'availability_reduced', 'availability_expanded', 'followers_spike'],
});
