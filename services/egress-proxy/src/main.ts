import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { compose } from './compose.js';
import { readConfig } from './config.js';

runService({ name: 'egress-proxy', start: (signal) => compose(readConfig(process.env), signal) });
