import { randomBytes } from 'node:crypto';
import { sentenceFor } from '@artist-watch/cli/failure';
import { seedDestination } from '@artist-watch/harness/delivery-fixtures';
import { useSuite } from '@artist-watch/harness/suite';
import { inTransaction, openDatabase } from '@artist-watch/persistence/database/database';
import { destinationCommands } from '@artist-watch/persistence/destination/commands';
import { createSecretBox } from '@artist-watch/persistence/secret-box';
import { expect, test } from '@jest/globals';

test('a database that is too busy for a command is reported in one sentence that says what to do', async () => {
  const { pool, databaseUrl, onEnd } = await useSuite();
  const impatient = openDatabase({ url: databaseUrl, applicationName: 'test', statementTimeoutMs: 200 });
  onEnd(() => impatient.close());
  const { destinationId } = await seedDestination(pool, { consecutiveFailures: 3 });
  const trouble = await inTransaction(pool, async (client) => {
    await client.query('SELECT 1 FROM destinations WHERE id = $1 FOR UPDATE', [destinationId]);
    return destinationCommands(impatient, createSecretBox(randomBytes(32)))
      .enable({ id: destinationId }, new Date())
      .then(
        () => undefined,
        (error: unknown) => error,
      );
  });
  expect(sentenceFor(trouble)).toBe(
    'The database did not respond in time: it is down or overloaded. Check whether the command took effect, then retry.',
  );
});
