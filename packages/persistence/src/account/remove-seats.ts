import type { AccountId } from '@artist-watch/domain/ids';
import type { Prisma } from '../generated/prisma/client.js';

/**
 * Takes all seats of an account away, or the one of an address. Of an address that has none in any other account, the sessions,
 * the known devices and the mails of sign-in go too: they belong to nobody any more.
 *
 * @returns how many seats there were.
 */
export async function removeSeats(
  transaction: Prisma.TransactionClient,
  accountId: AccountId,
  address: string | null = null,
): Promise<number> {
  // The seats of these addresses everywhere: while another account takes one away, this one waits and sees what is left.
  await transaction.$executeRaw`
    SELECT 1 FROM members
     WHERE email IN (SELECT email FROM members WHERE account_id = ${accountId} AND email = coalesce(${address}, email))
     ORDER BY id FOR UPDATE`;
  const removed = await transaction.$queryRaw<{ email: string }[]>`
    DELETE FROM members WHERE account_id = ${accountId} AND email = coalesce(${address}, email) RETURNING email`;
  const emails = removed.map(({ email }) => email);
  await transaction.$executeRaw`
    WITH gone AS (
      SELECT email FROM unnest(${emails}::text[]) a (email)
       WHERE NOT EXISTS (SELECT FROM members m WHERE m.email = a.email)),
    signed_out AS (DELETE FROM sessions s USING gone WHERE s.email = gone.email),
    asked AS (DELETE FROM sign_in_requests r USING gone WHERE r.email = gone.email),
    mailed AS (DELETE FROM mails m USING gone WHERE m.recipient = gone.email AND m.account_id IS NULL)
    DELETE FROM known_devices d USING gone WHERE d.email = gone.email`;
  return removed.length;
}
