import { isDatabaseAway } from '@artist-watch/persistence/database/database-trouble';
import { RecordAway } from '../application/refusal.js';

/** Says in the application's words that the database is away; every other error is left as it is. */
export async function orRecordAway<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw isDatabaseAway(error) ? new RecordAway(error) : error;
  }
}
