import type { SeededRandom } from '../seeded-random.js';
import type { SimulatedArtist } from './entities.js';

const FIRST_NAMES =
  'Ada Amara Åsa Bela Björn Camille Chloë Dara Eira Elif Emre Fatou Gael Hana Ibrahim Ines Ines-Marie Jonas Juno Kaito Katya Lena Linnéa Luca Mads Maya Mireille Nadia Noé Odile Okwui Omar Pia Quentin Ravi Renée Rosa Sana Sefa Silje Soo-ah Tariq Tomás Uma Vera Wren Ximena Yara Zoë'.split(
    ' ',
  );
const LAST_NAMES =
  'Abara Adeyemi Almeida Andersson Beaumont Bergström Castellanos Cho Delacroix Dovlatov Eriksen Farouk Fontaine Grünwald Haddad Hallström Ibarra Ishida Jäger Kamara Kowalski Laurent Lindqvist Marchetti Mbeki Moreau Nakamura Nwosu O’Rourke Olsen Ortega Petrov Quispe Rahimi Rossi Sandoval Silva Sørensen Tanaka Urquhart Valdés Vasquez Weiss Whitlock Yilmaz Zidane'.split(
    ' ',
  );
const ADJECTIVES =
  'Amber Ancient Blue Borrowed Broken Burning Careless Crimson Crooked Distant Electric Empty Endless Faded Foreign Frozen Gentle Golden Hidden Hollow Idle Invisible Last Little Lonely Lost Lucid Midnight Modern Neon Northern Open Pale Paper Quiet Restless Rising Sacred Salted Second Secret Silver Slow Southern Static Strange Sudden Summer Velvet Violet Wild Winter'.split(
    ' ',
  );
const NOUNS =
  'Airport Animals Arcade Atlas Avenue Boats Bridges Cathedral Cinema Circles Coast Colours Comet Country Curtains Days Desert Diaries Dreams Echoes Engines Evening Fields Fires Flowers Forest Garden Ghosts Gravity Harbour Highway Horizon Hours Houses Island Kingdom Lanterns Letters Lights Machines Maps Mirrors Mountains Museum Nights Oceans Orchard Parade Pilots Planets Rain Rivers Rooms Satellites Seasons Shadows Signals Smoke Stations Storm Strangers Summer Telegraph Tides Towers Trains Valley Voices Waves Weather Wires Wolves'.split(
    ' ',
  );
const VERBS =
  'Believe Breathe Burn Call Carry Dance Drive Drown Fall Float Follow Forget Hold Leave Listen Run Shine Sing Sleep Stay Swim Turn Wait Wander'.split(
    ' ',
  );
const LABEL_ENDS = ['Records', 'Music', 'Recordings', 'Sound', 'Tapes', 'Discs', 'Entertainment'];
const VERSIONS = ['Live', 'Acoustic', 'Radio Edit', 'Remastered', 'Instrumental', 'Extended Mix', 'Demo'];

export const GENRES = [
  'Pop',
  'Rap/Hip Hop',
  'Rock',
  'Dance',
  'R&B',
  'Alternative',
  'Electro',
  'Folk',
  'Reggae',
  'Jazz',
  'Classical',
  'Latin Music',
] as const;

export function artistName(random: SeededRandom): string {
  const form = random.next();
  if (form < 0.5) return `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
  if (form < 0.7) return `The ${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`;
  if (form < 0.85) return `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`;
  if (form < 0.93) return `${random.pick(NOUNS)} & ${random.pick(NOUNS)}`;
  return random.pick(NOUNS).toUpperCase();
}

export function title(random: SeededRandom): string {
  const form = random.next();
  if (form < 0.3) return `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)}`;
  if (form < 0.45) return random.pick(NOUNS);
  if (form < 0.6) return `${random.pick(VERBS)} with Me`;
  if (form < 0.7) return `${random.pick(NOUNS)} and ${random.pick(NOUNS)}`;
  if (form < 0.8) return `${random.pick(VERBS)} (in the ${random.pick(NOUNS)})`;
  if (form < 0.9) return `Don’t ${random.pick(VERBS)}`;
  return `${random.pick(NOUNS)} of ${random.pick(NOUNS)}`;
}

/** Returns a title suffix such as `(Live)`, or usually an empty string. */
export function version(random: SeededRandom): string {
  return random.chance(0.12) ? `(${random.pick(VERSIONS)})` : '';
}

export function labelName(random: SeededRandom): string {
  return `${random.pick(ADJECTIVES)} ${random.pick(NOUNS)} ${random.pick(LABEL_ENDS)}`;
}

/** Each word in the query must be a prefix of a word in the name, ignoring case and accents. */
export function findArtists(artists: readonly SimulatedArtist[], name: string): SimulatedArtist[] {
  const wanted = splitWords(name);
  if (wanted.length === 0) return [];
  const isExact = (artist: SimulatedArtist) => artist.name.toLowerCase() === name.trim().toLowerCase();
  return artists
    .filter((artist) => {
      const words = splitWords(artist.name);
      return wanted.every((part) => words.some((word) => word.startsWith(part)));
    })
    .sort((a, b) => Number(isExact(b)) - Number(isExact(a)) || b.followers - a.followers);
}

function splitWords(text: string): string[] {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
