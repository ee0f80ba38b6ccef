-- Artists whose tracks are being learned wait in a line of their own, where accounts take turns.
ALTER TABLE "artists" ADD COLUMN "learning" BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX "artists_learning_next_poll_at_idx" ON "artists"("next_poll_at") WHERE (next_poll_at IS NOT NULL AND learning);
