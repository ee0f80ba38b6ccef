-- Mails that expire, such as those of sign-in, are sent before all others; few of them are pending.
CREATE INDEX "mails_expiring_idx" ON "mails"("next_try_at", "id") WHERE (state = 'pending' AND expires_at IS NOT NULL);
