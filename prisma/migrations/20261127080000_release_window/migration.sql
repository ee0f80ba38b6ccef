-- First attempts that were released and are not settled (docs/adr/0043). Replicas of an older version do not maintain it;
-- the sweeper corrects it.
ALTER TABLE "destinations" ADD COLUMN "in_flight" INTEGER NOT NULL DEFAULT 0;

-- Room for the new row versions of counters on the same page, so that no index is written.
ALTER TABLE "destinations" SET (fillfactor = 50);

-- One index for the pending deliveries of a destination: the waiting ones, oldest first, before the released ones.
CREATE INDEX "deliveries_pending_idx" ON "deliveries"("destination_id", "relay_at", "id") WHERE (state = 'pending');

-- Tests and resends that the queue does not have yet; almost always empty.
CREATE INDEX "deliveries_requested_idx" ON "deliveries"("id") WHERE (relay_at IS NOT NULL AND trigger IN ('test', 'resend'));

-- What waited for the pace of its destination waits like any other.
UPDATE "deliveries" SET "relay_at" = "next_attempt_at" WHERE "relay_at" = 'infinity';

DROP INDEX "deliveries_relay_at_idx";
DROP INDEX "deliveries_relay_bucket_idx";
DROP INDEX "deliveries_deferred_idx";
DROP INDEX "deliveries_pending_destination_id_idx";
