CREATE TABLE "pictures" (
    "platform" "platform" NOT NULL,
    "entity_type" "entity_type" NOT NULL,
    "content_id" TEXT NOT NULL,
    "named_at" TIMESTAMPTZ(3) NOT NULL,
    "bytes" BYTEA,
    "media_type" TEXT,
    "problem" TEXT,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3),
    CONSTRAINT "pictures_pkey" PRIMARY KEY ("platform", "entity_type", "content_id")
);
-- JPEG and PNG are compressed already.
ALTER TABLE "pictures" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
CREATE INDEX "pictures_next_try_at_idx" ON "pictures"("next_try_at") WHERE (next_try_at IS NOT NULL);
CREATE INDEX "pictures_named_at_idx" ON "pictures"("named_at");
