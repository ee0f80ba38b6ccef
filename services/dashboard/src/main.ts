import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { compose } from './compose.js';
import { readConfig } from './config.js';

runService({ name: 'dashboard', start: (signal) => compose(readConfig(), signal) });
