import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { visitRunningSystem } from './demo/visit.js';

/** Runs the demo against a system started with docker-compose.yml or k8s/overlays/local. */
runService({
  name: 'demo',
  async start(signal) {
    const visit = await visitRunningSystem(process.env, (text) => process.stdout.write(text), signal);
    return { addresses: { receiver: visit.receiverUrl }, stop: () => visit.stop() };
  },
});
