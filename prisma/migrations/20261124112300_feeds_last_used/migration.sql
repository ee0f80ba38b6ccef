ALTER TABLE "feed_tokens" ADD COLUMN "last_used_at" TIMESTAMPTZ(3);
