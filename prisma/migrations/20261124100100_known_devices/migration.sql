-- Browsers that an address signed in with, and from where: another one is reported by mail.
CREATE TABLE "known_devices" (
    "email" TEXT NOT NULL,
    "device" TEXT NOT NULL,
    "place" TEXT NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "known_devices_pkey" PRIMARY KEY ("email", "device", "place")
);

CREATE INDEX "known_devices_last_seen_at_idx" ON "known_devices"("last_seen_at");
