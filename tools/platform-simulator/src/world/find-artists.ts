import type { SimulatedArtist } from './entities.js';

/**
 * What a platform's search finds for a name: artists that have each of its words, or a word that begins with it, without
 * regard to letter case and accents. Who has exactly the name comes first, then who is followed most.
 */
export function findArtists(artists: readonly SimulatedArtist[], name: string): SimulatedArtist[] {
  const wanted = wordsOf(name);
  if (wanted.length === 0) return [];
  const isExact = (artist: SimulatedArtist) => artist.name.toLowerCase() === name.trim().toLowerCase();
  return artists
    .filter((artist) => {
      const words = wordsOf(artist.name);
      return wanted.every((part) => words.some((word) => word.startsWith(part)));
    })
    .sort((a, b) => Number(isExact(b)) - Number(isExact(a)) || b.followers - a.followers);
}

function wordsOf(text: string): string[] {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
