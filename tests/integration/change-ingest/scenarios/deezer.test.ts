import { scenariosOn } from './playing-scenarios.js';

scenariosOn('Deezer', { platform: 'deezer' });
