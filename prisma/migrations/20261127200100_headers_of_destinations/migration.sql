-- Headers that a customer adds to the webhooks of a destination (docs/reference/webhooks.md). Their values are encrypted.
ALTER TABLE "destinations" ADD COLUMN "header_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
  ADD COLUMN "sealed_headers" BYTEA;
