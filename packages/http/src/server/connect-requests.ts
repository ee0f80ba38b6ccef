import { type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Hands CONNECT to the listener, like any other request: it is authenticated and counted before it is refused. Node gives
 * its socket away and makes no answer for it.
 */
export function handOverConnects(server: Server, listener: RequestListener): void {
  server.on('connect', (request, duplex) => {
    // Of a server that listens on a port.
    const socket = duplex as Socket;
    // Node has taken its own listener off: whoever goes away without the answer is no fault.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    // What follows a CONNECT on a connection is no request.
    response.setHeader('Connection', 'close');
    response.once('finish', () => socket.destroySoon());
    listener(request, response);
  });
}
