import type { Duplex } from 'node:stream';
import type { RequestContext } from '../request-context.js';

/** The request that each connection was last in: trouble with the bytes of a connection is trouble of that one. */
export class ContextsInHand {
  readonly #bySocket = new WeakMap<Duplex, RequestContext>();

  begin(context: RequestContext): void {
    this.#bySocket.set(context.request.socket, context);
  }

  /** Undefined when the connection is between two requests, or has had none. */
  on(socket: Duplex): RequestContext | undefined {
    const context = this.#bySocket.get(socket);
    const isOver = context?.request.complete && context.response.writableFinished;
    return isOver ? undefined : context;
  }
}
