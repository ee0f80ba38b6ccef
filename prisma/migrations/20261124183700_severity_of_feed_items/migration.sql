-- The severity of the change, so that a feed is counted by severity without looking up each of its changes. Rows of earlier
-- versions have none: theirs is looked up.
ALTER TABLE "feed_items" ADD COLUMN "severity" "severity";
