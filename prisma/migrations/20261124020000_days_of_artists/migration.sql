-- What the readings of a UTC day held: a table beside artist_metrics, whose rows need followers.
CREATE TABLE "artist_days" (
    "artist_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "readings" INTEGER NOT NULL,
    "complete_readings" INTEGER NOT NULL,
    "releases" INTEGER,
    "tracks" INTEGER,

    CONSTRAINT "artist_days_pkey" PRIMARY KEY ("artist_id","day")
);

ALTER TABLE "artist_days" ADD CONSTRAINT "artist_days_artist_id_fkey" FOREIGN KEY ("artist_id") REFERENCES "artists"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The list of an account's artists goes by pages, oldest watch first.
CREATE INDEX "watches_account_id_id_idx" ON "watches"("account_id", "id");
