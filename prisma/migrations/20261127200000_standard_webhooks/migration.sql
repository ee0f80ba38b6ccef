-- Whether webhooks also carry the headers of Standard Webhooks (docs/reference/webhooks.md).
ALTER TABLE "destinations" ADD COLUMN "standard_webhooks" BOOLEAN NOT NULL DEFAULT false;
