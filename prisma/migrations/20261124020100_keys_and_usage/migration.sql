-- What a key is called, who made it, what it may do, and when it was last used.
ALTER TABLE "api_keys" ADD COLUMN "name" TEXT;
ALTER TABLE "api_keys" ADD COLUMN "created_by" TEXT;
ALTER TABLE "api_keys" ADD COLUMN "scopes" TEXT[] DEFAULT ARRAY['read', 'manage']::TEXT[];
ALTER TABLE "api_keys" ADD COLUMN "last_used_at" TIMESTAMPTZ(3);

-- Requests that replicas of the api counted; written in batches. No foreign key, as of the other allowances: a count that
-- comes after its account is gone must not fail those of others.
CREATE TABLE "request_days" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "requests" INTEGER NOT NULL,

    CONSTRAINT "request_days_pkey" PRIMARY KEY ("account_id","day")
);

-- An account that is being deleted: nobody gets in, and retention removes what it had.
ALTER TABLE "accounts" ADD COLUMN "deleted_at" TIMESTAMPTZ(3);
CREATE INDEX "accounts_deleted_idx" ON "accounts"("id") WHERE deleted_at IS NOT NULL;
