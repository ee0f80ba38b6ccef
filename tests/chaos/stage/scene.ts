import { readChatAddress } from '@artist-watch/domain/channel/destination-kind';
import { seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { until } from '@artist-watch/harness/until';
import type { ChatPlatform } from '@artist-watch/local-stack/demo/chat-platforms';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import type pg from 'pg';
import type { SeenMail, Severity } from '../ledger/entries.js';
import { readFinalRecord } from '../ledger/final-record.js';
import { Ledger } from '../ledger/ledger.js';
import { type Account, reconcile } from '../ledger/reconcile.js';
import { brokenPromises, statement } from '../ledger/statement.js';
import { type ChangeSource, openChangeSource } from './change-source.js';
import { allowanceMs, type ChaosStack, rules, untilDataServersAnswer } from './chaos-stack.js';
import { type Faults, openFaults } from './faults.js';
import { openReceivingEnd, type ReceivingEnd } from './receiving-end.js';
import type { Temper } from './temper.js';
import { watchBacklog, watchLoad } from './watches.js';

/** Each destination has a separate account. */
export interface Cast {
  /** A channel is named after its platform. */
  readonly name: string;
  readonly kind?: ChatPlatform;
  readonly temper: Temper;
  /** Default: all changes. */
  readonly minSeverity?: Severity;
}

export interface Scenario {
  readonly name: string;
  readonly cast: readonly Cast[];
  /** These members of one account get emails about critical changes. */
  readonly mailedMembers?: number;
  play(scene: Scene): Promise<void>;
}

export interface Scene {
  readonly stack: ChaosStack;
  readonly ledger: Ledger;
  /** All accounts watch this artist. */
  readonly artistPlatformId: string;
  readonly source: ChangeSource;
  readonly faults: Faults;
  /** Compares the ledger with the database and the logs so far. */
  account(): Promise<Account>;
}

const gravity: Readonly<Record<Severity, number>> = { critical: 0, warning: 1, info: 2 };
const settleWithinMs = 180_000;

/** Runs a scenario until all accepted changes are settled. Returns the broken promises. */
export async function perform(stack: ChaosStack, { name, cast, mailedMembers = 0, play }: Scenario): Promise<string[]> {
  const crashesBefore = (await crashes(stack)).length;
  return withScene(
    stack,
    cast,
    async (scene) => {
      await play(scene);
      await untilDataServersAnswer(stack);
      await untilSettled(scene);
      const account = await scene.account();
      process.stdout.write(`${statement(name, account)}\n`);
      const crashed = (await crashes(stack)).slice(crashesBefore);
      const broken = [...brokenPromises(account), ...crashed.map((line) => `a service crashed: ${line}`)];
      if (broken.length > 0) process.stdout.write(`The logs of the services are in ${await stack.keepLogs()}.\n`);
      return broken;
    },
    { mailedMembers },
  );
}

/** Resolves after a timeout too. The result then lists the deliveries that are not settled. */
export async function untilSettled({ stack, ledger }: Scene): Promise<void> {
  await until('all deliveries to be settled', () => isSettled(stack, ledger), settleWithinMs).catch(() => undefined);
}

/** Removes the scene's destinations and artist afterwards. */
export async function withScene<Result>(
  stack: ChaosStack,
  cast: readonly Cast[],
  act: (scene: Scene) => Promise<Result>,
  /** Some stacks have other retry delays, and some scenarios have members. */
  {
    retryDelaysMs = rules.retryDelaysMs,
    mailedMembers = 0,
  }: { readonly retryDelaysMs?: readonly number[]; readonly mailedMembers?: number } = {},
): Promise<Result> {
  const ledger = new Ledger();
  const receivingEnd = await openReceivingEnd(ledger);
  const watching = new AbortController();
  const watched = watchBacklog(stack.redis, ledger, watching.signal);
  const load = watchLoad(watching.signal);
  try {
    const artistPlatformId = await seed(stack, ledger, receivingEnd, cast, mailedMembers);
    const { ingestUrl, ingestToken } = await stack.state();
    return await act({
      stack,
      ledger,
      artistPlatformId,
      source: openChangeSource({ ingestUrl, ingestToken, artistPlatformId, ledger }),
      faults: openFaults(stack, ledger),
      account: async () => {
        const record = await readFinalRecord(stack.pool, await stack.logLines(), idsOf(ledger));
        ledger.nameDeliveries(record.deliveries);
        ledger.mails = seenMails(stack, ledger);
        return reconcile(ledger, record, { ...rules, retryDelaysMs, allowanceMs: allowanceMs(load.most()) });
      },
    });
  } finally {
    watching.abort();
    await watched;
    await receivingEnd.close();
  }
}

async function crashes(stack: ChaosStack): Promise<string[]> {
  return (await stack.logLines()).filter((line) => line.includes('"event":"process.crashed"'));
}

async function isSettled({ pool }: ChaosStack, ledger: Ledger): Promise<boolean> {
  const { rows } = await pool.query<{ settled: number }>(
    `SELECT count(*) FILTER (WHERE state <> 'pending')::int AS settled FROM deliveries WHERE destination_id = ANY($1)`,
    [idsOf(ledger)],
  );
  return rows[0]?.settled === ledger.expectedDeliveries() && (await isMailed(pool, ledger));
}

/** Ends the waiting hour of a summary early, once the summary has all its changes. */
async function isMailed(pool: pg.Pool, { accepted, mailed }: Ledger): Promise<boolean> {
  if (mailed.size === 0) return true;
  const { rows } = await pool.query<{ left: number }>(
    `SELECT count(*)::int AS left FROM changes c
      WHERE external_id = ANY($1) AND severity = 'critical'
        AND NOT EXISTS (SELECT FROM mailed_changes m WHERE m.change_id = c.id)`,
    [[...accepted.keys()]],
  );
  if (rows[0]?.left !== 0) return false;
  await pool.query(
    "UPDATE mails SET next_try_at = now() WHERE kind = 'critical_summary' AND tries = 0 AND recipient = ANY($1)",
    [[...mailed]],
  );
  const waiting = await pool.query("SELECT FROM mails WHERE state = 'pending' AND recipient = ANY($1)", [[...mailed]]);
  return waiting.rowCount === 0;
}

function seenMails({ mailbox }: ChaosStack, { mailed }: Ledger): SeenMail[] {
  return mailbox.mails.flatMap(({ to, messageId, subject, text, html, headers }) => {
    const recipient = to.find((address) => mailed.has(address));
    const changeIds = [...new Set([...text.matchAll(/\/changes\/(chg_[0-9a-f]{32})/g)].map(([, id]) => id as string))];
    // An email about several changes counts them all in its subject, and links to one change of each event.
    const [, several, more] = /^([\d,]+) more changes? to |, and ([\d,]+) more changes?$/.exec(subject) ?? [];
    const counted = several ?? (more === undefined ? '0' : String(1 + Number(more.replaceAll(',', ''))));
    const unlisted = Math.max(0, Number(counted.replaceAll(',', '')) - changeIds.length);
    const isInert =
      ![subject, text, html].some((part) => /\u202e|https:\/\/evil/.test(part)) &&
      !/<script/.test(html) &&
      !/^Bcc/m.test(text) &&
      headers.bcc === undefined;
    return recipient === undefined ? [] : [{ recipient, messageId, isInert, changeIds, unlisted }];
  });
}

function idsOf({ destinations }: Ledger): string[] {
  return destinations.map(({ destinationId }) => destinationId);
}

/** All accounts watch the artist whose platform id is returned. */
async function seed(
  { pool, state }: ChaosStack,
  ledger: Ledger,
  receivingEnd: ReceivingEnd,
  cast: readonly Cast[],
  mailedMembers: number,
): Promise<string> {
  const { env } = await state();
  const box = createSecretBox(Buffer.from(env.ENCRYPTION_KEY ?? '', 'base64'));
  let artistId: Awaited<ReturnType<typeof seedDestination>>['artistId'] | undefined;
  let accountId = '';
  for (const { name, kind, temper, minSeverity } of cast) {
    const address = kind && readChatAddress(kind, receivingEnd.chatAddressOf(kind));
    const seeded = await seedDestination(pool, {
      url: address?.shownUrl ?? receivingEnd.urlOf(name),
      ...(kind ? { kind } : {}),
      minSeverity: minSeverity ?? null,
      ...(artistId ? { artistId } : {}),
    });
    artistId = seeded.artistId;
    accountId = seeded.accountId;
    const { destinationId } = seeded;
    const secret = address?.requestUrl ?? `whsec_of_${name}_0123456789`;
    await pool.query('UPDATE destinations SET sealed_secret = $2 WHERE id = $1', [
      destinationId,
      box.seal(secret, destinationId),
    ]);
    receivingEnd.attend(name, { destinationId, secret, temper });
    ledger.destinations.push({
      destinationId,
      name,
      lets: ({ severity }) => minSeverity === undefined || gravity[severity] <= gravity[minSeverity],
    });
  }
  const members = await pool.query<{ email: string }>(
    `INSERT INTO members (id, account_id, email, role, created_at, joined_at, digest)
     SELECT new_id('mem', now()), $1, new_id('m', now()) || '@label.example', 'member', now(), now(), 'never'
       FROM generate_series(1, $2) RETURNING email`,
    [accountId, mailedMembers],
  );
  for (const { email } of members.rows) ledger.mailed.add(email);
  const { rows } = await pool.query<{ platform_id: string }>('SELECT platform_id FROM artists WHERE id = $1', [
    artistId,
  ]);
  return rows[0]?.platform_id ?? '';
}
