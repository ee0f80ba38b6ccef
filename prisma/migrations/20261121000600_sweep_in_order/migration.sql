-- The sweeper reads what the queue should have in the order of its time, a page after the other: without the id, those
-- of one instant (a change that went far) would be sorted anew for each page.
CREATE INDEX "deliveries_next_attempt_at_id_idx" ON "deliveries"("next_attempt_at", "id") WHERE (state = 'pending' AND relay_at IS NULL);

-- DropIndex
DROP INDEX "deliveries_next_attempt_at_idx";
