import { scenariosOn } from './playing-scenarios.js';

scenariosOn('Spotify', { platform: 'spotify' });
