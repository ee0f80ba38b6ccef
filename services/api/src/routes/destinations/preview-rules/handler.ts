import { rulesFrom } from '@artist-watch/contracts/api/destination-input';
import { previewRules as operation } from '@artist-watch/contracts/api/operations/destination-operations';
import { presentRulesPreview, previewRulesSchema } from '@artist-watch/contracts/api/rules-preview';
import { LET_ALL_THROUGH } from '@artist-watch/domain/delivery/destination-rules';
import { jsonAnswer } from '@artist-watch/http/answer/answer';
import type { Database } from '@artist-watch/persistence/database/database';
import { previewRules } from '@artist-watch/persistence/destination/rules-preview';
import { parseBody } from '../../../adapters/http/request/input.js';
import type { Route } from '../../../adapters/http/route.js';

export function previewRulesRoute(database: Database): Route {
  return {
    operation,
    async answer({ identity, now, readJson }) {
      const { rules } = parseBody(previewRulesSchema, await readJson());
      const preview = await previewRules(
        database,
        identity.accountId,
        { ...LET_ALL_THROUGH, ...rulesFrom(rules) },
        now,
      );
      return jsonAnswer(200, presentRulesPreview(preview));
    },
  };
}
