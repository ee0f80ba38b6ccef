-- A destination is an address of the customer's own, or a channel of a chat platform.
CREATE TYPE "destination_kind" AS ENUM ('webhook', 'slack', 'discord');

-- AlterTable
ALTER TABLE "destinations" ADD COLUMN "kind" "destination_kind" NOT NULL DEFAULT 'webhook';
