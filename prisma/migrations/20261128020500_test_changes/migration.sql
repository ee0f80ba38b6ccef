-- Changes that an account creates to test its integration (docs/api/requests.md).
ALTER TABLE "changes" ADD COLUMN "is_test" BOOLEAN NOT NULL DEFAULT false;
-- For retention.
CREATE INDEX "changes_tests_idx" ON "changes"("id") WHERE is_test;

CREATE TABLE "test_feed_items" (
    "account_id" TEXT NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3) NOT NULL,
    "change_id" TEXT NOT NULL,
    "position" BIGINT NOT NULL,

    CONSTRAINT "test_feed_items_pkey" PRIMARY KEY ("account_id","confirmed_at","change_id")
);
CREATE INDEX "test_feed_items_account_id_position_change_id_idx" ON "test_feed_items"("account_id", "position", "change_id");

-- The delivery of a test change has both. Not validated, because every older row satisfies the stricter check.
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_has_something_to_send";
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_has_something_to_send"
  CHECK (change_id IS NOT NULL OR test_body IS NOT NULL) NOT VALID;
