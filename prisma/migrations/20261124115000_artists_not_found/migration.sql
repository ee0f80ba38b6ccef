-- Few artists are not on the platform: how many of an account's are counted without a look at all the others.
CREATE INDEX "artists_not_found_id_idx" ON "artists"("id") WHERE (not_found_since IS NOT NULL);
