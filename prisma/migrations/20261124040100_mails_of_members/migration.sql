-- What a member wants mails of. A sign-in, an invitation and a new key are always sent.
CREATE TYPE "digest_cadence" AS ENUM ('never', 'daily', 'weekly');
ALTER TABLE "members" ADD COLUMN "critical_mails" BOOLEAN NOT NULL DEFAULT true,
                      ADD COLUMN "destination_mails" BOOLEAN NOT NULL DEFAULT true,
                      ADD COLUMN "digest" "digest_cadence" NOT NULL DEFAULT 'weekly',
                      ADD COLUMN "digest_day" DATE;

-- Critical changes whose mails were made, for as long as they are looked for.
CREATE TABLE "mailed_changes" (
    "change_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "mailed_changes_pkey" PRIMARY KEY ("change_id")
);
