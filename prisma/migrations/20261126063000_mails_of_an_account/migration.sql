-- An account that is deleted takes its mails with it; ninety days of everybody's were read to find them.
CREATE INDEX IF NOT EXISTS "mails_account_id_idx" ON "mails"("account_id");
