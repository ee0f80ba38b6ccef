-- Each delivery of a change locked the one row of the change that its own transaction had written: a seventh of the time
-- in which a change goes out to very many destinations. Deliveries are pruned long before their change.
ALTER TABLE "deliveries" DROP CONSTRAINT "deliveries_change_id_fkey";
