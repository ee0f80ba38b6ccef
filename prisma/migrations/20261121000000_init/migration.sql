-- Ids that are made where the rows are made: prefix, 12 hexadecimal digits of the millisecond, 20 random ones.
-- The same form as packages/runtime/src/ids.ts.
CREATE FUNCTION new_id(prefix text, at timestamptz) RETURNS text
LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT prefix || '_' || lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
      || right(replace(gen_random_uuid()::text, '-', ''), 20)
$$;

-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateEnum
CREATE TYPE "plan_name" AS ENUM ('free', 'starter', 'pro', 'business');

-- CreateEnum
CREATE TYPE "platform" AS ENUM ('deezer', 'spotify');

-- CreateEnum
CREATE TYPE "severity" AS ENUM ('critical', 'warning', 'info');

-- CreateEnum
CREATE TYPE "entity_type" AS ENUM ('artist', 'release', 'track');

-- CreateEnum
CREATE TYPE "change_state" AS ENUM ('suspected', 'held', 'confirmed', 'dismissed');

-- CreateEnum
CREATE TYPE "destination_state" AS ENUM ('active', 'off');

-- CreateEnum
CREATE TYPE "delivery_state" AS ENUM ('pending', 'succeeded', 'failed', 'skipped');

-- CreateEnum
CREATE TYPE "delivery_trigger" AS ENUM ('change', 'test', 'resend', 'recover');

-- CreateEnum
CREATE TYPE "attempt_outcome" AS ENUM ('succeeded', 'failed');

-- CreateEnum
CREATE TYPE "blame" AS ENUM ('receiver', 'policy');

-- CreateEnum
CREATE TYPE "notice_kind" AS ENUM ('warning', 'switched_off', 'disabled', 'enabled', 'secret_rotated', 'secret_activated');

-- CreateTable
CREATE TABLE "accounts" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "plan" "plan_name" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "members" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "members_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "secret_sha256" BYTEA NOT NULL,
    "hint" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "artists" (
    "id" TEXT NOT NULL,
    "platform" "platform" NOT NULL,
    "platform_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "followers" INTEGER NOT NULL DEFAULT 0,
    "monthly_listeners" INTEGER NOT NULL DEFAULT 0,
    "metrics_observed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "next_poll_at" TIMESTAMPTZ(3),
    "poll_claimed_until" TIMESTAMPTZ(3),
    "last_polled_at" TIMESTAMPTZ(3),
    "last_complete_at" TIMESTAMPTZ(3),
    "incomplete_polls" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "artists_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "artist_metrics" (
    "artist_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "followers" INTEGER NOT NULL,
    "monthly_listeners" INTEGER,

    CONSTRAINT "artist_metrics_pkey" PRIMARY KEY ("artist_id","day")
);

-- CreateTable
CREATE TABLE "watches" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "artist_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "watches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "baselines" (
    "artist_id" TEXT NOT NULL,
    "state" JSONB NOT NULL,
    "digest" BYTEA NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "baselines_pkey" PRIMARY KEY ("artist_id")
);

-- CreateTable
CREATE TABLE "snapshots" (
    "id" TEXT NOT NULL,
    "artist_id" TEXT NOT NULL,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,
    "complete" BOOLEAN NOT NULL,
    "incomplete_reason" TEXT,
    "content" JSONB,

    CONSTRAINT "snapshots_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "changes" (
    "id" TEXT NOT NULL,
    "artist_id" TEXT NOT NULL,
    "state" "change_state" NOT NULL,
    "type" TEXT NOT NULL,
    "severity" "severity" NOT NULL,
    "entity_type" "entity_type" NOT NULL,
    "entity_id" TEXT NOT NULL,
    "entity_name" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "detected_at" TIMESTAMPTZ(3) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3),
    "dismissed_at" TIMESTAMPTZ(3),
    "dismissed_reason" TEXT,
    "difference_key" TEXT,
    "difference" JSONB,
    "observations" JSONB NOT NULL DEFAULT '[]',
    "external_id" TEXT,
    "external_digest" BYTEA,
    "webhook_body" TEXT,
    "traceparent" TEXT,

    CONSTRAINT "changes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feed_items" (
    "account_id" TEXT NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3) NOT NULL,
    "change_id" TEXT NOT NULL,

    CONSTRAINT "feed_items_pkey" PRIMARY KEY ("account_id","confirmed_at","change_id")
);

-- CreateTable
CREATE TABLE "destinations" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "state" "destination_state" NOT NULL DEFAULT 'active',
    "min_severity" "severity",
    "change_types" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "artist_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "sealed_secret" BYTEA,
    "sealed_next_secret" BYTEA,
    "consecutive_failures" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "switched_off_at" TIMESTAMPTZ(3),
    "switched_off_reason" TEXT,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "destinations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "destination_notices" (
    "id" TEXT NOT NULL,
    "destination_id" TEXT NOT NULL,
    "kind" "notice_kind" NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "consecutive_failures" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,

    CONSTRAINT "destination_notices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "deliveries" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "destination_id" TEXT NOT NULL,
    "change_id" TEXT,
    "test_body" TEXT,
    "state" "delivery_state" NOT NULL DEFAULT 'pending',
    "trigger" "delivery_trigger" NOT NULL DEFAULT 'change',
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "round_start" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "relay_at" TIMESTAMPTZ(3),
    "claimed_until" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "settled_at" TIMESTAMPTZ(3),
    "skipped_reason" TEXT,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "attempts" (
    "id" TEXT NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "outcome" "attempt_outcome" NOT NULL,
    "blame" "blame",
    "status_code" INTEGER,
    "error" TEXT,
    "reason" TEXT,
    "response_excerpt" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "attempts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "tool_allowances" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "tool_allowances_pkey" PRIMARY KEY ("account_id","day")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "account_id" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_digest" BYTEA NOT NULL,
    "status" INTEGER,
    "body" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("account_id","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "members_account_id_email_key" ON "members"("account_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_secret_sha256_key" ON "api_keys"("secret_sha256");

-- CreateIndex
CREATE INDEX "api_keys_account_id_idx" ON "api_keys"("account_id");

-- CreateIndex
CREATE INDEX "artists_next_poll_at_idx" ON "artists"("next_poll_at") WHERE (next_poll_at IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "artists_platform_platform_id_key" ON "artists"("platform", "platform_id");

-- CreateIndex
CREATE INDEX "watches_artist_id_account_id_idx" ON "watches"("artist_id", "account_id");

-- CreateIndex
CREATE UNIQUE INDEX "watches_account_id_artist_id_key" ON "watches"("account_id", "artist_id");

-- CreateIndex
CREATE INDEX "snapshots_artist_id_observed_at_idx" ON "snapshots"("artist_id", "observed_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "changes_external_id_key" ON "changes"("external_id");

-- CreateIndex
CREATE INDEX "changes_artist_id_confirmed_at_idx" ON "changes"("artist_id", "confirmed_at" DESC);

-- CreateIndex
CREATE INDEX "changes_confirmed_at_idx" ON "changes"("confirmed_at");

-- CreateIndex
CREATE UNIQUE INDEX "changes_open_difference_key" ON "changes"("artist_id", "difference_key") WHERE (state IN ('suspected', 'held'));

-- CreateIndex
CREATE INDEX "feed_items_change_id_idx" ON "feed_items"("change_id");

-- CreateIndex
CREATE INDEX "destinations_account_id_id_idx" ON "destinations"("account_id", "id" DESC);

-- CreateIndex
CREATE INDEX "destination_notices_destination_id_at_idx" ON "destination_notices"("destination_id", "at" DESC);

-- CreateIndex
CREATE INDEX "deliveries_account_id_id_idx" ON "deliveries"("account_id", "id" DESC);

-- CreateIndex
CREATE INDEX "deliveries_destination_id_id_idx" ON "deliveries"("destination_id", "id" DESC);

-- CreateIndex
CREATE INDEX "deliveries_relay_at_idx" ON "deliveries"("relay_at") WHERE (relay_at IS NOT NULL);

-- CreateIndex
CREATE INDEX "deliveries_next_attempt_at_idx" ON "deliveries"("next_attempt_at") WHERE (state = 'pending' AND relay_at IS NULL);

-- CreateIndex
CREATE INDEX "deliveries_pending_destination_id_idx" ON "deliveries"("destination_id") WHERE (state = 'pending');

-- CreateIndex
CREATE UNIQUE INDEX "deliveries_change_id_destination_id_key" ON "deliveries"("change_id", "destination_id");

-- CreateIndex
CREATE UNIQUE INDEX "attempts_delivery_id_number_key" ON "attempts"("delivery_id", "number");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "artist_metrics" ADD CONSTRAINT "artist_metrics_artist_id_fkey" FOREIGN KEY ("artist_id") REFERENCES "artists"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watches" ADD CONSTRAINT "watches_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watches" ADD CONSTRAINT "watches_artist_id_fkey" FOREIGN KEY ("artist_id") REFERENCES "artists"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "baselines" ADD CONSTRAINT "baselines_artist_id_fkey" FOREIGN KEY ("artist_id") REFERENCES "artists"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "snapshots" ADD CONSTRAINT "snapshots_artist_id_fkey" FOREIGN KEY ("artist_id") REFERENCES "artists"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "changes" ADD CONSTRAINT "changes_artist_id_fkey" FOREIGN KEY ("artist_id") REFERENCES "artists"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "destinations" ADD CONSTRAINT "destinations_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "destination_notices" ADD CONSTRAINT "destination_notices_destination_id_fkey" FOREIGN KEY ("destination_id") REFERENCES "destinations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_destination_id_fkey" FOREIGN KEY ("destination_id") REFERENCES "destinations"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_change_id_fkey" FOREIGN KEY ("change_id") REFERENCES "changes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema cannot say.

ALTER TABLE "changes" ADD CONSTRAINT "changes_confirmed_has_instant_and_body"
  CHECK (state <> 'confirmed' OR (confirmed_at IS NOT NULL AND webhook_body IS NOT NULL));

ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_has_something_to_send"
  CHECK ((change_id IS NULL) = (test_body IS NOT NULL));

ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_pending_has_an_instant"
  CHECK (CASE WHEN state = 'pending' THEN next_attempt_at IS NOT NULL
              ELSE relay_at IS NULL AND claimed_until IS NULL AND settled_at IS NOT NULL END);

ALTER TABLE "attempts" ADD CONSTRAINT "attempts_failed_has_blame"
  CHECK ((outcome = 'failed') = (blame IS NOT NULL AND error IS NOT NULL));

ALTER TABLE "destinations" ADD CONSTRAINT "destinations_off_has_instant"
  CHECK ((state = 'off') = (switched_off_at IS NOT NULL));

ALTER TABLE "tool_allowances" ADD CONSTRAINT "tool_allowances_used_is_not_negative" CHECK (used >= 0);

-- A delivery is updated two or three times in its life, mostly in columns without an index: leave room on its page.
ALTER TABLE "deliveries" SET (fillfactor = 75);
ALTER TABLE "artists" SET (fillfactor = 80);
