-- Listing what failed or was skipped must not read past everything that succeeded.
-- CreateIndex
CREATE INDEX "deliveries_missed_account_id_idx" ON "deliveries"("account_id", "state", "id" DESC) WHERE (state IN ('failed', 'skipped'));
