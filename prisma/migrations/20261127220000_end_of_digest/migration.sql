-- The end of a member's last digest, where the next one starts. Null until the first digest after this migration.
ALTER TABLE "members" ADD COLUMN "digest_until" TIMESTAMPTZ(3);
