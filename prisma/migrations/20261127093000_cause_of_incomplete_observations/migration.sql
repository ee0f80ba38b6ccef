-- Why the last observation of an artist is incomplete; null if it was complete.
ALTER TABLE artists ADD COLUMN incomplete_cause text;
