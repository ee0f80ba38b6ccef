import type { Observation } from '@artist-watch/domain/catalogue';

/** NUL and lone surrogates, as JSON.stringify writes them: the record cannot keep either. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

const UNSTORABLE_CHARACTERS = /\0|\p{Surrogate}/gu;

/** The observation with such characters left out of every text, so that it is stored as it is compared. */
export function storableObservation(observation: Observation): Observation {
  if (observation.kind !== 'complete') return observation;
  if (!UNSTORABLE.test(JSON.stringify(observation.state))) return observation;
  return { ...observation, state: cleaned(observation.state) };
}

function cleaned<Value>(value: Value): Value {
  if (typeof value === 'string') return value.replace(UNSTORABLE_CHARACTERS, '') as Value;
  if (Array.isArray(value)) return value.map(cleaned) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cleaned(part)])) as Value;
}
