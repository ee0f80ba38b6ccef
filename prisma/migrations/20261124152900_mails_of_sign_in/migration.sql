-- Mails of sign-in belong to an address, not to an account: they go with its last seat, and after two days.
CREATE INDEX "mails_recipient_idx" ON "mails"("recipient") WHERE (account_id IS NULL);
