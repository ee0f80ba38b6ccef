import { z } from 'zod';
import { known, knownCount, knownDate, knownText } from '../known.js';

/** The parts of a look-up by ISRC that are read (musicbrainz.org/doc/MusicBrainz_API). */

const mbid = z.uuid();

const artistCredit = z.object({ name: z.string().min(1), artist: z.object({ id: mbid }) });

const releaseGroup = z.object({
  'primary-type': knownText,
  'secondary-types': known(z.array(z.string())),
});

export const releaseSchema = z.object({
  id: mbid,
  title: knownText,
  date: knownDate,
  barcode: knownText,
  'release-group': known(releaseGroup),
});

export const recordingSchema = z.object({
  id: mbid,
  title: z.string().min(1),
  /** Milliseconds. */
  length: knownCount,
  'artist-credit': known(z.array(artistCredit)),
  releases: known(z.array(releaseSchema)),
});

export const isrcSchema = z.object({ isrc: z.string(), recordings: z.array(recordingSchema) });

export const notFoundSchema = z.object({ error: z.literal('Not Found') });

export type MusicBrainzRecording = z.output<typeof recordingSchema>;
export type MusicBrainzRelease = z.output<typeof releaseSchema>;
