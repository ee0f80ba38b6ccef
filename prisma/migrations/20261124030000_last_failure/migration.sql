-- How the newest failed attempt failed, so that lists by error, status and blame are ranges of one index.
ALTER TABLE "deliveries" ADD COLUMN "last_failure" TEXT;
