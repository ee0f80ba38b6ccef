-- When the request under way began, apart from when its key was first used: what a repeat makes is derived from the
-- latter, so that a request whose process died after its work was done makes nothing twice. The default is for services
-- of the version before, which do not write it.
ALTER TABLE "idempotency_keys" ADD COLUMN "begun_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP;
