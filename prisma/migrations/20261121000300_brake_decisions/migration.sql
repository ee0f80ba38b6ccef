-- What happened to a suspicion besides the observations that count, and what an operator has dismissed for as long as it
-- stands.
ALTER TABLE "changes" ADD COLUMN "notes" JSONB NOT NULL DEFAULT '[]',
                      ADD COLUMN "ignored" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "changes_ignored_artist_id_idx" ON "changes"("artist_id") WHERE (ignored);
