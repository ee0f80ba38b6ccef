import { publishRunAddresses } from './dist/run-addresses.js';
import { startRunServers } from './dist/run-servers.js';

export default async function globalSetup() {
  const servers = await startRunServers();
  publishRunAddresses(servers.addresses);
  globalThis.stopRunServers = servers.stop;
}
