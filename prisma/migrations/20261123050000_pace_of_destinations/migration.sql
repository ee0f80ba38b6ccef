-- First attempts to a failing destination go one at a time, each after a pause that grows; null: it is not paced.
ALTER TABLE "destinations" ADD COLUMN "pace_ms" INTEGER, ADD COLUMN "paced_until" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "destinations_paced_idx" ON "destinations"("id") WHERE (pace_ms IS NOT NULL);

-- What waits for the pace of its destination, the oldest of each destination first.
CREATE INDEX "deliveries_deferred_idx" ON "deliveries"("destination_id", "next_attempt_at", "id") WHERE (relay_at = 'infinity');
