-- What a request has done so far, written by the transaction that does it: a repeat goes on from there. Null for what has
-- done nothing yet, and for requests of services of the version before, which do not write it.
ALTER TABLE "idempotency_keys" ADD COLUMN "progress" JSONB;
