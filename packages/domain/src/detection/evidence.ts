/** Lists the evidence for operators to review, oldest first. */
import { catalogueAvailability, parseAvailability } from '../change/catalogue-availability.js';
import { changeValues, changeValueText } from '../change/change-value.js';
import { type Difference, type JsonValue, mergeTarget } from '../change/difference.js';
import type { Suspicion, SuspicionObservation } from './suspicion.js';
import type { BrakeKind, DirectRead, DismissalReason, SuspicionNote, UncountedReason } from './suspicion-note.js';

export interface Evidence {
  readonly observedAt: Date;
  readonly kind: 'counted' | SuspicionNote['kind'];
  /** Null if nothing was read. */
  readonly complete: boolean | null;
  readonly paths: SuspicionObservation['paths'] | null;
  readonly seen: JsonValue;
  readonly snapshotId: string | null;
  readonly by: string | null;
  readonly reason: string | null;
  readonly text: string;
}

export function toEvidence({ difference, observations, notes }: Omit<Suspicion, 'key' | 'held'>): Evidence[] {
  const all = [...observations.map((one) => counted(one, difference)), ...notes.map(noted)];
  return all.sort((a, b) => a.observedAt.getTime() - b.observedAt.getTime());
}

function counted({ observedAt, paths, seen, snapshotId }: SuspicionObservation, difference: Difference): Evidence {
  const text = countedSentence(difference, paths.directRead, seen);
  return { observedAt, kind: 'counted', complete: true, paths, seen, snapshotId, by: null, reason: null, text };
}

export function countedSentence(difference: Difference, directRead: DirectRead, seen: JsonValue): string {
  const { type, rule, entityType } = difference;
  if (catalogueAvailability(difference) !== null) {
    const { releases, markets } = parseAvailability(seen);
    const change = type === 'availability_reduced' ? 'without these markets' : 'with these new markets';
    return `A full check found ${releases.length} of the artist's releases ${change}: ${markets.join(', ')}.`;
  }
  if (type === 'artist_removed') return "We looked the artist up in two ways. Both showed that it doesn't exist.";
  if (type === 'artist_merged') {
    return `Two requests for the artist returned a different artist (ID ${mergeTarget(difference)}). That artist exists.`;
  }
  if (type === 'availability_reduced') {
    return 'The markets were missing from a full check, and from the release when we looked it up directly.';
  }
  if (type === 'artist_restored') return 'A full check found the artist again.';
  if (type === 'release_restored') return "It was back in the full list of the artist's releases.";
  if (type === 'release_added') return "It was in the full list of the artist's releases.";
  if (type === 'track_added') return "It was in the full list of the release's tracks.";
  if (rule === 'repetition') return `A full check showed ${shown(difference, seen)}.`;
  const list = entityType === 'track' ? "release's tracks" : "artist's releases";
  return `It was missing from the full list of the ${list}. ${OPENED[directRead]}`;
}

const OPENED: Readonly<Record<DirectRead, string>> = {
  gone: 'When we looked it up directly, it did not exist.',
  moved: 'When we looked it up directly, it was credited only to other artists.',
  alive: 'When we looked it up directly, it still existed.',
  unknown: 'Looking it up directly gave no clear response.',
  not_asked: 'It was not looked up directly.',
};

const MAX_SHOWN_CHARS = 200;

function shown(difference: Difference, seen: JsonValue): string {
  const { after } = changeValues({ ...difference, after: seen });
  if (after === null) return 'the change';
  const text = [...changeValueText(after)];
  return `“${text.length <= MAX_SHOWN_CHARS ? text.join('') : `${text.slice(0, MAX_SHOWN_CHARS).join('')}…`}”`;
}

function noted(note: SuspicionNote): Evidence {
  const nothing = { complete: null, paths: null, seen: null, snapshotId: null, by: null, reason: null } as const;
  const { kind, at: observedAt } = note;
  switch (note.kind) {
    case 'not_counted': {
      const { snapshotId, detail: reason } = note;
      const complete = note.why !== 'incomplete';
      return { ...nothing, observedAt, kind, complete, snapshotId, reason, text: uncounted(note) };
    }
    case 'held':
      return { ...nothing, observedAt, kind, text: HELD[note.by] };
    case 'contradicted': {
      const { snapshotId, directRead } = note;
      const paths = { listMissing: directRead === 'alive', directRead };
      return { ...nothing, observedAt, kind, complete: true, paths, snapshotId, text: DISMISSED[note.why] };
    }
    case 'released':
      return { ...nothing, observedAt, kind, by: note.by, reason: note.reason, text: decided('Released', note) };
    case 'dismissed':
      return { ...nothing, observedAt, kind, by: note.by, reason: note.reason, text: decided('Dismissed', note) };
    case 'stands_no_longer':
      return {
        ...nothing,
        observedAt,
        kind,
        complete: true,
        snapshotId: note.snapshotId,
        text: 'A later observation no longer showed the difference, so the entity is watched as usual again.',
      };
  }
}

const UNCOUNTED: Readonly<Record<UncountedReason, string>> = {
  incomplete: 'was incomplete, so it was not compared',
  direct_read_unclear: 'showed the difference, but the direct read gave no clear response',
  not_looked_at: 'did not read enough detail to confirm or rule out the change',
};

function uncounted({ times, lastAt, why, detail }: Extract<SuspicionNote, { kind: 'not_counted' }>): string {
  const what = why === 'incomplete' && detail !== null ? `${UNCOUNTED[why]}: ${detail}` : UNCOUNTED[why];
  const repeated = times === 1 ? '' : ` ${times} observations up to ${lastAt.toISOString()} had the same result.`;
  return `An observation ${what}. It does not count.${repeated}`;
}

const HELD: Readonly<Record<BrakeKind, string>> = {
  artist:
    "On hold, because so many of the artist's releases vanished at once. More observations over a longer period are needed.",
  fleet: 'On hold, because so many artists had removals at once. More observations over a longer period are needed.',
};

const DISMISSED: Readonly<Record<DismissalReason, string>> = {
  alive: 'Dismissed, because the direct read still found it.',
  back: 'Dismissed, because a complete observation showed the earlier value again.',
  superseded: 'Dismissed, because it became another difference, which needs its own evidence.',
  overtaken: 'Dismissed, because another confirmed change or a newer baseline made it obsolete.',
};

function decided(what: string, { by, reason }: { by: string; reason: string | null }): string {
  return reason === null ? `${what} by ${by}.` : `${what} by ${by}: ${reason}`;
}
