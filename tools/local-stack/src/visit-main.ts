import { runService } from '@artist-watch/runtime/lifecycle/lifecycle';
import { visitRunningSystem } from './demo/visit.js';

/** The demo of docker-compose.yml and of k8s/overlays/local, on the system that runs there. */
runService({
  name: 'demo',
  async start(signal) {
    const visit = await visitRunningSystem(process.env, (text) => process.stdout.write(text), signal);
    return { addresses: { receiver: visit.receiverUrl }, stop: () => visit.stop() };
  },
});
