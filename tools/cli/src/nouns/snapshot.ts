import type { SnapshotId } from '@artist-watch/domain/ids';
import { showSnapshot } from '@artist-watch/persistence/snapshot-store';
import type { Command } from 'commander';
import type { Cli } from '../cli.js';
import { addNoun } from '../noun.js';
import { required } from '../option-values.js';
import { one } from '../print.js';

export function snapshotCommands(program: Command, cli: Cli): void {
  const verb = addNoun(program, cli, 'snapshot', 'stored platform observations');

  const description = 'show a stored observation of an artist; "change show" lists the snapshot ids of a change';
  verb('show', description, { id: required<SnapshotId>('<id>', 'snp_…') }, async ({ id }) => {
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
  });
}
