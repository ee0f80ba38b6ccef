import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { visitRunningSystem } from './demo/visit.js';

/** Runs the demo on a system that docker-compose.yml or k8s/overlays/local started. */
runService({
  name: 'demo',
  async start(signal) {
    const visit = await visitRunningSystem(process.env, (text) => process.stdout.write(text), signal);
    return { addresses: { receiver: visit.receiverUrl }, stop: () => visit.stop() };
  },
});
