-- What an account is shown of an artist's readings belongs to its own watch, so that it learns nothing of other watchers.
ALTER TABLE "watches" ADD COLUMN "last_complete_at" TIMESTAMPTZ(3),
ADD COLUMN "metrics_observed_at" TIMESTAMPTZ(3);
UPDATE watches w
   SET last_complete_at = a.last_complete_at,
       metrics_observed_at = CASE WHEN a.metrics_observed_at >= w.created_at THEN a.metrics_observed_at END
  FROM artists a WHERE a.id = w.artist_id AND a.last_complete_at >= w.created_at;

ALTER TABLE "artists" ADD COLUMN "not_found_since" TIMESTAMPTZ(3);

CREATE TABLE "watch_allowances" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "watch_allowances_pkey" PRIMARY KEY ("account_id","day")
);
