-- A snapshot holds what changed against the one that it builds on, or everything. Older rows have neither column, and
-- nothing builds on them.
ALTER TABLE "snapshots" ADD COLUMN "base_id" TEXT,
                        ADD COLUMN "digest" BYTEA;

-- Incomplete ones go sooner than the others.
-- CreateIndex
CREATE INDEX "snapshots_incomplete_artist_id_observed_at_idx" ON "snapshots"("artist_id", "observed_at") WHERE (NOT complete);
