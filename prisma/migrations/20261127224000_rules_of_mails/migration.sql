-- The rules of a member's emails about changes: which changes are emailed immediately, and which are in the digest. No
-- severity means all severities; an empty list means all types or artists.
ALTER TABLE "members" ADD COLUMN "mail_min_severity" "severity" DEFAULT 'critical',
ADD COLUMN "mail_change_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN "mail_artist_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN "digest_min_severity" "severity",
ADD COLUMN "digest_change_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN "digest_artist_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- The few members who get emails about changes that are not critical.
CREATE INDEX "members_mail_rules_idx" ON "members"("account_id") WHERE (mail_min_severity IS DISTINCT FROM 'critical'::severity);
