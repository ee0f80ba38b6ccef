-- Artists that were never read are found at once, however many others are overdue.
CREATE INDEX "artists_never_polled_next_poll_at_idx" ON "artists"("next_poll_at") WHERE (next_poll_at IS NOT NULL AND last_polled_at IS NULL);
