-- The warnings of a destination, however many notices of what was done by hand lie between them.
CREATE INDEX "destination_notices_of_failures_idx" ON "destination_notices"("destination_id", "at" DESC) WHERE (kind IN ('warning', 'switched_off'));
