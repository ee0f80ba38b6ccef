-- Runs outside a transaction.
-- An index that an interrupted run left is not valid.
DROP INDEX CONCURRENTLY IF EXISTS "feed_items_position_idx";

CREATE INDEX CONCURRENTLY "feed_items_position_idx" ON "feed_items"("account_id", "position", "change_id", "confirmed_at") WHERE (position IS NOT NULL);
