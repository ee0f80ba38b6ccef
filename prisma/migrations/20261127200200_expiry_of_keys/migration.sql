-- An optional end of an API key (docs/reference/api.md), and the search for the email before it.
ALTER TABLE "api_keys" ADD COLUMN "expires_at" TIMESTAMPTZ(3);

CREATE INDEX "api_keys_expiring_idx" ON "api_keys"("expires_at") WHERE (expires_at IS NOT NULL AND revoked_at IS NULL);
