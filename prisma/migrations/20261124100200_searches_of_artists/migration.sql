-- Searches of artists by name, by account and UTC day: each is a request to the platform.
CREATE TABLE "search_allowances" (
    "account_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "used" INTEGER NOT NULL,

    CONSTRAINT "search_allowances_pkey" PRIMARY KEY ("account_id","day")
);
