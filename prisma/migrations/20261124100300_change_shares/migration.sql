CREATE TABLE "change_shares" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "change_id" TEXT NOT NULL,
    "token_sha256" BYTEA NOT NULL,
    "created_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "change_shares_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "change_shares_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "change_shares_token_sha256_key" ON "change_shares"("token_sha256");
CREATE INDEX "change_shares_account_id_change_id_idx" ON "change_shares"("account_id", "change_id");
CREATE INDEX "change_shares_expires_at_idx" ON "change_shares"("expires_at");
