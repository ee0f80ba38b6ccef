-- GET /v1/changes by an artist or an entity is a range of one of these (docs/adr/0037). The id makes their order that of the
-- feed. They grow by an entry a change, not by one for every account that watches.
CREATE INDEX "changes_artist_id_confirmed_at_id_idx" ON "changes"("artist_id", "confirmed_at" DESC, "id" DESC);
DROP INDEX "changes_artist_id_confirmed_at_idx";
CREATE INDEX "changes_entity_id_confirmed_at_id_idx" ON "changes"("entity_id", "confirmed_at" DESC, "id" DESC);
