-- A snapshot is kept whole and compressed; what it builds on (base_id, digest) is written no longer.
ALTER TABLE "snapshots" ADD COLUMN "catalogue" BYTEA;
-- It is compressed already.
ALTER TABLE "snapshots" ALTER COLUMN "catalogue" SET STORAGE EXTERNAL;
