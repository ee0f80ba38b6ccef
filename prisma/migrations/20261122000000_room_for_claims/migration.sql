-- A claim changes no indexed column. With room for a second version of each row on its page it stays there, and writes
-- to none of the indexes. Pages that are full already stay so until their rows go as deliveries are pruned.
ALTER TABLE "deliveries" SET (fillfactor = 50);
