-- How much an account has stored of responses for repeats, by hour: a sum over its rows would read all of them.
CREATE TABLE "idempotency_bytes" (
    "account_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "bytes" BIGINT NOT NULL,

    CONSTRAINT "idempotency_bytes_pkey" PRIMARY KEY ("account_id","hour")
);

CREATE INDEX "idempotency_bytes_hour_idx" ON "idempotency_bytes"("hour");
