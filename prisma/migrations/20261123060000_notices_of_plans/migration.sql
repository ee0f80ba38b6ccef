-- A change of plan pauses and resumes destinations, and that is something that happened to them. The version before reads no
-- notice but those of failures, so it may run beside these.
ALTER TYPE "notice_kind" ADD VALUE 'paused_by_plan';
ALTER TYPE "notice_kind" ADD VALUE 'resumed_by_plan';
