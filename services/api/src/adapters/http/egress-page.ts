import { type Cidr, cidrText } from '@artist-watch/address-policy/ip-address';
import { EGRESS_OPERATIONS } from '@artist-watch/contracts/api/operations/account-operations';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import { methodNotAllowed, pathAndQueryOf } from '@artist-watch/http/request/request-head';
import type { PublicPage } from './access-middleware.js';
import { BASE_PATH, queryParser } from './route.js';

const OPERATION = EGRESS_OPERATIONS.listEgressAddresses;
const PATH = `${BASE_PATH}${OPERATION.path}`;

/**
 * An hour is fine, because customers use this list to configure firewalls, and new addresses are announced in advance.
 */
const CACHE_CONTROL = 'public, max-age=3600';

/** Serves `GET /v1/egress`. Doesn't require an API key, because firewalls read it too. */
export function createEgressPage(addresses: readonly Cidr[]): PublicPage {
  const parseQuery = queryParser(OPERATION);
  const answer = jsonAnswer(200, { addresses: addresses.map(cidrText) }, { 'Cache-Control': CACHE_CONTROL });
  return {
    isMeant: (url) => pathAndQueryOf(url).split('?', 1)[0] === PATH,
    answer(context, { method, url = '' }) {
      context.route = PATH;
      try {
        if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, ['GET', 'HEAD']);
        parseQuery(url);
        context.send(answer);
      } catch (error) {
        context.fail(error);
      }
    },
  };
}
