-- A relay that fills one shard of the queue must not read past what waits for the others. The expression is that of
-- packages/domain/src/delivery/queue-shard.ts, and nothing that the schema of Prisma can say.
CREATE INDEX "deliveries_relay_bucket_idx" ON "deliveries"((get_byte(sha256("destination_id"::bytea), 0) & 63), "relay_at") WHERE (relay_at IS NOT NULL);
