import type { SnapshotId } from '@artist-watch/domain/ids';
import { showSnapshot } from '@artist-watch/persistence/snapshot-store';
import type { Command } from 'commander';
import { act } from '../act.js';
import type { Cli } from '../cli.js';
import { one } from '../print.js';

export function snapshotCommands(program: Command, cli: Cli): void {
  program
    .command('snapshot')
    .description('what the platform was seen to say')
    .command('show')
    .description('one reading of an artist, whole: what the observations of a change refer to')
    .requiredOption('--id <id>', 'snp_…')
    .action(
      act<{ id: SnapshotId }>(cli, async ({ id }) => {
        const snapshot = await showSnapshot((await cli.database()).pool, id);
        return one({
          id: snapshot.id,
          artist_id: snapshot.artistId,
          observed_at: snapshot.observedAt.toISOString(),
          complete: snapshot.complete,
          incomplete_reason: snapshot.incompleteReason,
          catalogue: snapshot.catalogue,
          content: snapshot.content,
        });
      }),
    );
}
