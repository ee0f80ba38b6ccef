-- Tokens of private feeds: what feed programs read changes by, in place of an API key.
CREATE TABLE "feed_tokens" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "member_id" TEXT,
    "token_sha256" BYTEA NOT NULL,
    "hint" TEXT NOT NULL,
    "name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" TEXT NOT NULL,

    CONSTRAINT "feed_tokens_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "feed_tokens_token_sha256_key" ON "feed_tokens"("token_sha256");

CREATE INDEX "feed_tokens_account_id_idx" ON "feed_tokens"("account_id");

CREATE INDEX "feed_tokens_member_id_idx" ON "feed_tokens"("member_id");

ALTER TABLE "feed_tokens" ADD CONSTRAINT "feed_tokens_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "feed_tokens" ADD CONSTRAINT "feed_tokens_member_id_fkey" FOREIGN KEY ("member_id") REFERENCES "members"("id") ON DELETE CASCADE ON UPDATE CASCADE;
