import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent';

export interface AgentOptions {
  /** The forward proxy for polling, `http://user:password@host:port`; direct without it. */
  readonly proxyUrl?: string | undefined;
  /** How many connections may be open at once. */
  readonly maxConnections: number;
  /** Ends a proxy that never answers CONNECT: got's own signal does not reach a socket that is still being made. */
  readonly connectTimeoutMs: number;
}

export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** Agents that keep connections alive: a poll is many small requests to one host. */
export function createAgents({ proxyUrl, maxConnections, connectTimeoutMs }: AgentOptions): Agents {
  const options = {
    keepAlive: true,
    maxSockets: maxConnections,
    maxFreeSockets: maxConnections,
    scheduling: 'lifo',
    timeout: connectTimeoutMs,
  } as const;
  if (proxyUrl === undefined) return { http: new HttpAgent(options), https: new HttpsAgent(options) };
  return {
    http: new HttpProxyAgent({ ...options, proxy: proxyUrl }),
    https: new HttpsProxyAgent({ ...options, proxy: proxyUrl }),
  };
}

export function closeAgents(agents: Agents): void {
  agents.http.destroy();
  agents.https.destroy();
}
