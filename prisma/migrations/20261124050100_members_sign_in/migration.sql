CREATE TYPE "member_role" AS ENUM ('owner', 'member');
CREATE TYPE "mail_state" AS ENUM ('pending', 'sent', 'refused', 'discarded');

ALTER TABLE "members" ADD COLUMN "role" "member_role" NOT NULL DEFAULT 'member',
                      ADD COLUMN "joined_at" TIMESTAMPTZ(3),
                      ADD COLUMN "zone" TEXT NOT NULL DEFAULT 'UTC';
-- Roles are new: the oldest member of each account becomes its owner.
UPDATE "members" m SET "role" = 'owner'
 WHERE m."id" = (SELECT min(o."id") FROM "members" o WHERE o."account_id" = m."account_id");
CREATE INDEX "members_email_idx" ON "members"("email");

CREATE TABLE "sign_in_requests" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "client_network" TEXT NOT NULL,
    "browser_sha256" BYTEA NOT NULL,
    "session_id" TEXT,
    "tries" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    CONSTRAINT "sign_in_requests_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "sign_in_requests_email_created_at_idx" ON "sign_in_requests"("email", "created_at");
CREATE INDEX "sign_in_requests_client_network_created_at_idx" ON "sign_in_requests"("client_network", "created_at");

CREATE TABLE "sessions" (
    "id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "fresh_until" TIMESTAMPTZ(3) NOT NULL,
    "client_address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,
    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "sessions_token_sha256_key" ON "sessions"("token_sha256");
CREATE INDEX "sessions_email_idx" ON "sessions"("email");
CREATE INDEX "sessions_last_seen_at_idx" ON "sessions"("last_seen_at");

CREATE TABLE "mails" (
    "id" TEXT NOT NULL,
    "account_id" TEXT,
    "member_id" TEXT,
    "recipient" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "unique_key" TEXT,
    "state" "mail_state" NOT NULL DEFAULT 'pending',
    "tries" INTEGER NOT NULL DEFAULT 0,
    "next_try_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    CONSTRAINT "mails_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "mails_unique_key_key" ON "mails"("unique_key");
CREATE INDEX "mails_next_try_at_id_idx" ON "mails"("next_try_at", "id") WHERE (state = 'pending');
CREATE INDEX "mails_member_id_id_idx" ON "mails"("member_id", "id" DESC);

CREATE TABLE "audit_events" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" TEXT,
    "actor_name" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject_id" TEXT,
    "subject_name" TEXT NOT NULL,
    "details" JSONB NOT NULL DEFAULT '{}',
    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "audit_events_account_id_id_idx" ON "audit_events"("account_id", "id" DESC);
