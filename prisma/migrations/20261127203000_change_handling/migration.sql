CREATE TYPE "change_status" AS ENUM ('open', 'handled', 'expected');

-- Changes without a row are open, so the feed's inserts stay as they are.
CREATE TABLE "change_handling" (
    "account_id" TEXT NOT NULL,
    "confirmed_at" TIMESTAMPTZ(3) NOT NULL,
    "change_id" TEXT NOT NULL,
    "status" "change_status" NOT NULL DEFAULT 'open',
    "note" TEXT,
    "assignee_id" TEXT,
    "status_by" TEXT,
    "status_at" TIMESTAMPTZ(3),
    CONSTRAINT "change_handling_pkey" PRIMARY KEY ("account_id","confirmed_at","change_id"),
    CONSTRAINT "change_handling_assignee_id_fkey" FOREIGN KEY ("assignee_id") REFERENCES "members"("id") ON DELETE SET NULL ON UPDATE CASCADE
);
-- For the foreign key.
CREATE INDEX "change_handling_assignee_id_idx" ON "change_handling"("assignee_id") WHERE assignee_id IS NOT NULL;
