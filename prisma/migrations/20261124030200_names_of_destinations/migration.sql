-- A destination has a name that its owner gives it; null for none.
ALTER TABLE "destinations" ADD COLUMN "name" TEXT;
