-- The order in which changes become readable in a feed (docs/adr/0044).

-- When the change was recorded; null for changes of earlier versions, and of replicas that still run one.
ALTER TABLE "changes" ADD COLUMN "recorded_at" TIMESTAMPTZ(3);

-- Transaction ids grow as long as a server runs. After a restore or a failover another server may continue with lower ones.
-- So the first change that a started server records begins a generation: the units of ten minutes since 1970, or one more
-- than the last generation if that is greater.
CREATE TABLE "feed_generations" (
    "generation" INTEGER NOT NULL,
    "server_started_at" TIMESTAMPTZ NOT NULL,

    CONSTRAINT "feed_generations_pkey" PRIMARY KEY ("generation")
);

-- The position of the rows that this transaction writes: 2^40 times the generation, plus the transaction id.
-- Volatile: after the lock, the second query must see the generation of the transaction that had it.
CREATE FUNCTION feed_position() RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  newest feed_generations;
BEGIN
  SELECT * INTO newest FROM feed_generations ORDER BY generation DESC LIMIT 1;
  IF newest.server_started_at IS DISTINCT FROM pg_postmaster_start_time() THEN
    -- Any constant: one transaction begins a generation.
    PERFORM pg_advisory_xact_lock(4205021218);
    SELECT * INTO newest FROM feed_generations ORDER BY generation DESC LIMIT 1;
    IF newest.server_started_at IS DISTINCT FROM pg_postmaster_start_time() THEN
      INSERT INTO feed_generations (generation, server_started_at)
      VALUES (greatest(newest.generation + 1, floor(extract(epoch FROM now()) / 600)::int), pg_postmaster_start_time())
      RETURNING * INTO newest;
    END IF;
  END IF;
  RETURN (newest.generation::bigint << 40) + pg_current_xact_id()::text::bigint;
END
$$;

-- Every row before it is readable or was rolled back, and every row that becomes readable later is at it or after it.
-- Stable: it must use the snapshot of the query that reads the rows.
CREATE FUNCTION feed_horizon() RETURNS bigint
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN server_started_at = pg_postmaster_start_time() OR pg_is_in_recovery()
              THEN (generation::bigint << 40) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint
              -- This server has recorded nothing yet, and the transactions of the one before have ended.
              ELSE (generation + 1)::bigint << 40 END
    FROM feed_generations ORDER BY generation DESC LIMIT 1
$$;

-- Null for rows of earlier versions, since a default would rewrite the table. Replicas of an earlier version omit the
-- column, so their rows get the default.
ALTER TABLE "feed_items" ADD COLUMN "position" BIGINT;
ALTER TABLE "feed_items" ALTER COLUMN "position" SET DEFAULT feed_position();
