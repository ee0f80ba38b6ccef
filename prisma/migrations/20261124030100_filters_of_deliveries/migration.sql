-- Of settled deliveries only: no worker has these in hand, and a pending one gets it with its next attempt.
UPDATE "deliveries" d SET "last_failure" = f."kind"
  FROM (SELECT DISTINCT ON ("delivery_id") "delivery_id", "error" || coalesce(':' || "status_code" / 100 || 'xx', '') AS "kind"
          FROM "attempts" WHERE "outcome" = 'failed' ORDER BY "delivery_id", "number" DESC) f
 WHERE d."id" = f."delivery_id" AND d."state" <> 'pending';

-- Deliveries that succeed at once, which are nearly all, have no entry in either.
CREATE INDEX "deliveries_last_failure_idx" ON "deliveries"("account_id", "last_failure", "id" DESC) WHERE (last_failure IS NOT NULL);
CREATE INDEX "deliveries_by_hand_idx" ON "deliveries"("account_id", "trigger", "id" DESC) WHERE (trigger <> 'change');
