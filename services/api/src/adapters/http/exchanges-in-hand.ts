import type { Duplex } from 'node:stream';
import type { Exchange } from './exchange.js';

/** The exchange that each connection was last in: trouble with the bytes of a connection is trouble of that one. */
export class ExchangesInHand {
  readonly #bySocket = new WeakMap<Duplex, Exchange>();

  begin(exchange: Exchange): void {
    this.#bySocket.set(exchange.request.socket, exchange);
  }

  /** Undefined when the connection is between two exchanges, or has had none. */
  on(socket: Duplex): Exchange | undefined {
    const exchange = this.#bySocket.get(socket);
    const isOver = exchange?.request.complete && exchange.response.writableFinished;
    return isOver ? undefined : exchange;
  }
}
