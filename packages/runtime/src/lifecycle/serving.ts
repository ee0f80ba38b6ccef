import type { RequestListener, Server } from 'node:http';

/**
 * How long servers that load balancers stand before keep an idle connection: longer than the minute for which those keep
 * theirs, so that they close it and no request meets a server that is just closing it.
 */
export const KEEP_ALIVE_MS = 65_000;

/** How often a draining server looks for connections whose last answer is out. */
const IDLE_CHECK_MS = 50;

/**
 * Answers as `listener` does; to a request that comes once `stopping` is aborted, each answer also says that it is the
 * connection's last, so that none is in use any more when the server closes what it has.
 */
export function sayingGoodbye(listener: RequestListener, stopping: AbortSignal): RequestListener {
  return (request, response) => {
    if (stopping.aborted) response.setHeader('Connection', 'close');
    listener(request, response);
  };
}

/** Takes no new connection, lets the requests in hand end, and cuts what is left when `forced` is aborted. */
export async function drain(server: Server, forced: AbortSignal): Promise<void> {
  const cut = () => server.closeAllConnections();
  forced.addEventListener('abort', cut, { once: true });
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    if (forced.aborted) cut();
  });
  clearInterval(idle);
  forced.removeEventListener('abort', cut);
}
