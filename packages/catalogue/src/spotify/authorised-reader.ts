import type { JsonAnswer } from '../http/json-answer.js';
import type { JsonRequest, PlatformHttp } from '../http/platform-http.js';
import { badAnswer } from '../platform-error.js';
import type { Reader } from '../read-scope.js';
import type { AccessToken } from './access-token.js';

const REFUSED = Symbol('the token is refused');

/** Sends requests with the access token, and once more with a new one where it is refused before its time. */
export class AuthorisedReader implements Reader {
  readonly #http: PlatformHttp;
  readonly #token: AccessToken;

  constructor(http: PlatformHttp, token: AccessToken) {
    this.#http = http;
    this.#token = token;
  }

  async read<Result>(request: JsonRequest, interpret: (answer: JsonAnswer) => Result): Promise<Result> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const token = await this.#token.get(request.signal);
      const headers = { ...request.headers, authorization: `Bearer ${token}` };
      const result = await this.#http.read({ ...request, headers }, (answer) =>
        answer.status === 401 ? REFUSED : interpret(answer),
      );
      if (result !== REFUSED) return result;
      this.#token.forget(token);
    }
    throw badAnswer(`${request.operation}: a new access token is refused as well`);
  }
}
