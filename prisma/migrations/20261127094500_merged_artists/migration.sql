-- The platform's id of the artist that this one was merged into.
ALTER TABLE artists ADD COLUMN merged_into text;
