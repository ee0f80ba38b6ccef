-- The last failure of a warning or a switch-off, for programs. Null in notices of earlier versions and of other events.
ALTER TABLE "destination_notices" ADD COLUMN "last_status" INTEGER, ADD COLUMN "last_error" TEXT;
