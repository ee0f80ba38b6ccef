import { presentDestination } from '@artist-watch/contracts/api/destination';
import { rulesFrom } from '@artist-watch/contracts/api/destination-input';
import { destinationIdSchema } from '@artist-watch/contracts/api/identifiers';
import * as operations from '@artist-watch/contracts/api/operations/destination-operations';
import { presentRulesPreview, previewRulesSchema } from '@artist-watch/contracts/api/rules-preview';
import { actorOf } from '@artist-watch/domain/account/actor';
import { LET_ALL_THROUGH } from '@artist-watch/domain/delivery/destination-rules';
import type { DestinationId } from '@artist-watch/domain/ids';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { Database } from '@artist-watch/persistence/database/database';
import type { DestinationReference } from '@artist-watch/persistence/destination/record';
import { previewRules } from '@artist-watch/persistence/destination/rules-preview';
import type { DestinationStore } from '@artist-watch/persistence/destination/store';
import { parseBody, pathId } from '../../adapters/http/request/input.js';
import type { ApiRequest, Route } from '../../adapters/http/route.js';

/** The destination that the path names, never without the account that may see it. @throws NotFound */
export function destinationOf({ principal, parameters }: ApiRequest): Required<DestinationReference> {
  return {
    id: pathId<DestinationId>(destinationIdSchema, parameters.id, 'destination'),
    accountId: principal.accountId,
    by: actorOf(principal),
  };
}

export function listDestinationsRoute(destinations: DestinationStore): Route {
  return {
    operation: operations.listDestinations,
    async answer({ principal }) {
      const all = await destinations.list(principal.accountId);
      return jsonAnswer(200, { data: all.map(presentDestination), next_cursor: null });
    },
  };
}

export function showDestinationRoute(destinations: DestinationStore): Route {
  return {
    operation: operations.showDestination,
    async answer(request) {
      return jsonAnswer(200, presentDestination(await destinations.show(destinationOf(request))));
    },
  };
}

export function previewRulesRoute(database: Database): Route {
  return {
    operation: operations.previewRules,
    async answer({ principal, now, readJson }) {
      const { rules } = parseBody(previewRulesSchema, await readJson());
      const preview = await previewRules(
        database,
        principal.accountId,
        { ...LET_ALL_THROUGH, ...rulesFrom(rules) },
        now,
      );
      return jsonAnswer(200, presentRulesPreview(preview));
    },
  };
}
