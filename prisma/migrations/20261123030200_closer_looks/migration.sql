-- Where the closer looks at an artist's releases stand that spend what the platform's budget leaves over.
ALTER TABLE "artists" ADD COLUMN "deep_look_at" TIMESTAMPTZ(3) NOT NULL DEFAULT '1970-01-01 00:00:00 +00:00',
ADD COLUMN "deep_look_after" TEXT,
ADD COLUMN "full_look_at" TIMESTAMPTZ(3) NOT NULL DEFAULT '1970-01-01 00:00:00 +00:00',
ADD COLUMN "full_look_after" TEXT;
CREATE INDEX "artists_deep_look_at_idx" ON "artists"("deep_look_at") WHERE (next_poll_at IS NOT NULL);
CREATE INDEX "artists_full_look_at_idx" ON "artists"("full_look_at") WHERE (next_poll_at IS NOT NULL);
