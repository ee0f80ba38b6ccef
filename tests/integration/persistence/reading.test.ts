import { useSuite } from '@artist-watch/harness/suite';
import { openDatabase } from '@artist-watch/persistence/database/database';
import { expect, test } from '@jest/globals';

async function openSmallPool(parameters: Readonly<Record<string, string>> = {}) {
  const { databaseUrl, onEnd } = await useSuite();
  const url = new URL(databaseUrl);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const database = openDatabase({ url: url.href, poolSize: 3, applicationName: 'test' });
  onEnd(() => database.close());
  return database;
}

test('concurrent responses of any length arrive complete, each at its own caller', async () => {
  const { pool } = await openSmallPool();
  const lengths = [0, 1, 8_000, 65_530, 65_536, 100_000, 300_000, 2_500_000];
  const asked = Array.from({ length: 40 }, (_, turn) => lengths[(turn * 5) % lengths.length] as number);
  const answers = await Promise.all(
    asked.map(async (length, turn) => {
      const { rows } = await pool.query<{ turn: number; text: string }>(
        `SELECT $1::int AS turn, repeat($2, $3) AS text`,
        [turn, String.fromCodePoint(0x20ac + turn), length],
      );
      return rows[0];
    }),
  );
  for (const [turn, answer] of answers.entries()) {
    expect(answer?.turn).toBe(turn);
    expect(answer?.text === String.fromCodePoint(0x20ac + turn).repeat(asked[turn] as number)).toBe(true);
  }
});

test('many rows arrive in order, and the connection still works after a server error', async () => {
  const { pool, prisma } = await openSmallPool();
  const { rows } = await pool.query<{ n: number; pad: string }>(
    `SELECT n, repeat('y', n % 97) AS pad FROM generate_series(1, 50000) AS n`,
  );
  expect(rows.every(({ n, pad }, index) => n === index + 1 && pad.length === n % 97)).toBe(true);
  await expect(pool.query(`SELECT 1 / (n - 30000) FROM generate_series(1, 40000) AS n`)).rejects.toThrow(
    'division by zero',
  );
  expect(await (await prisma()).$queryRawUnsafe(`SELECT 1 AS one`)).toEqual([{ one: 1 }]);
});

test("a server without TLS causes the driver's error if the URL requires TLS", async () => {
  const database = await openSmallPool({ sslmode: 'verify-full' });
  await expect(database.ping()).rejects.toThrow('The server does not support SSL connections');
});
