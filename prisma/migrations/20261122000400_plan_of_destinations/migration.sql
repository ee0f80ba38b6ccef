-- Told on the destination, so that neither sweep nor settlement asks for accounts.
ALTER TABLE "destinations" ADD COLUMN "plan_required" BOOLEAN NOT NULL DEFAULT false;
UPDATE "destinations" d SET "plan_required" = true FROM "accounts" a WHERE a."id" = d."account_id" AND a."plan" <> 'business';

-- The sweeper's look for what is to be skipped reads these alone, however many destinations there are.
CREATE INDEX "destinations_undeliverable_idx" ON "destinations"("id") WHERE (state = 'off' OR deleted_at IS NOT NULL OR plan_required);
