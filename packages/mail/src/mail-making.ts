import type { Logger } from '@artist-watch/observability/logger';
import type { Database } from '@artist-watch/persistence/database/database';
import { queueDigests } from '@artist-watch/persistence/mail/queue-digests';
import { forgetMailedChanges, queueMails } from '@artist-watch/persistence/mail/queue-mails';
import { every } from '@artist-watch/runtime/periodic';

export interface MailMakingOptions {
  readonly database: Pick<Database, 'pool'>;
  readonly groupWaitMs: number;
  readonly log: Logger;
  readonly signal: AbortSignal;
  onMade(): void;
}

/** The polling interval is a tenth of `groupWaitMs`, but stays within these bounds. */
const LOOK_EVERY_MS = { min: 200, max: 5_000 };
const DIGESTS_EVERY_MS = 60_000;

export function startMailMaking(options: MailMakingOptions): { readonly done: Promise<unknown> } {
  const { database, groupWaitMs, log, signal, onMade } = options;
  /** Reads the database's clock, because change times also come from it. This machine's clock may be wrong. */
  async function databaseNow(): Promise<Date> {
    const { rows } = await database.pool.query<{ now: Date }>({ name: 'mail-clock', text: 'SELECT now()' });
    return rows[0]?.now ?? new Date();
  }
  const report = (what: string) => (made: number) => {
    if (made === 0) return;
    log.info('mail.made', { what, made });
    onMade();
  };
  const events = every({
    intervalMs: Math.min(LOOK_EVERY_MS.max, Math.max(LOOK_EVERY_MS.min, groupWaitMs / 10)),
    signal,
    onError: (error) => log.warn('mail.making_failed', { error }),
    run: async () => report('events')(await queueMails(database.pool, { now: await databaseNow(), groupWaitMs })),
  });
  const digests = every({
    intervalMs: DIGESTS_EVERY_MS,
    signal,
    onError: (error) => log.warn('mail.making_failed', { error }),
    async run() {
      const now = await databaseNow();
      for (let made = 1; made > 0 && !signal.aborted; ) {
        made = await queueDigests(database.pool, now);
        report('digests')(made);
      }
      await forgetMailedChanges(database.pool, now);
    },
  });
  return { done: Promise.all([events.done, digests.done]) };
}
