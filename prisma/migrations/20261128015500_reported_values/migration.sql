-- The values before and after a change that another detector reported (docs/reference/ingest.md).
ALTER TABLE "changes" ADD COLUMN "reported_values" JSON;
