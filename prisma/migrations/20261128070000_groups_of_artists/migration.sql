-- Groups of artists (docs/api/requests.md). The lists in rules have a default, so older versions can still insert rows.
CREATE TABLE "artist_groups" (
    "id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "color" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "artist_groups_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "artist_groups_account_id_name_key" ON "artist_groups"("account_id", "name");
ALTER TABLE "artist_groups" ADD CONSTRAINT "artist_groups_account_id_fkey"
  FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

CREATE TABLE "grouped_artists" (
    "group_id" TEXT NOT NULL,
    "artist_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,

    CONSTRAINT "grouped_artists_pkey" PRIMARY KEY ("group_id","artist_id")
);
CREATE INDEX "grouped_artists_account_id_artist_id_idx" ON "grouped_artists"("account_id", "artist_id");
ALTER TABLE "grouped_artists" ADD CONSTRAINT "grouped_artists_group_id_fkey"
  FOREIGN KEY ("group_id") REFERENCES "artist_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "grouped_artists" ADD CONSTRAINT "grouped_artists_account_id_artist_id_fkey"
  FOREIGN KEY ("account_id", "artist_id") REFERENCES "watches"("account_id", "artist_id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "destinations" ADD COLUMN "group_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];
ALTER TABLE "members"
  ADD COLUMN "mail_group_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
  ADD COLUMN "digest_group_ids" TEXT[] DEFAULT ARRAY[]::TEXT[];
