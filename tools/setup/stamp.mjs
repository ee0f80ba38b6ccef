import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export function hasStamp(file, fingerprint) {
  try {
    return readFileSync(file, 'utf8') === fingerprint;
  } catch {
    return false;
  }
}

/** Writes the stamp atomically, so that an interrupted step runs again. */
export function writeStamp(file, fingerprint) {
  mkdirSync(path.dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, fingerprint);
  renameSync(unfinished, file);
}

export function removeStamp(file) {
  rmSync(file, { force: true });
}

/** @param {Iterable<string>} parts */
export function hashParts(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}
