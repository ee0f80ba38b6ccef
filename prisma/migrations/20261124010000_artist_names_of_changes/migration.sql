-- The artist's name as it was when the change was confirmed: artists are renamed, and a change must go on reading as the
-- webhook did. Rows of earlier versions have none, and show the artist's present name.
ALTER TABLE "changes" ADD COLUMN "artist_name" TEXT;
