import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { entriesBelow, filesBelow } from './projects.mjs';

/** Types, source maps and build records are for people who change the code; no program loads them. */
const neverLoaded = /\.(d\.[cm]?ts|[cm]?ts|map|tsbuildinfo|md|markdown)$|\.test\.js$/i;

/** A licence stays with what it covers, whatever its file is called. */
const licence = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i;

/** Of our own build only what is loaded. */
export function isLoaded(file) {
  return !neverLoaded.test(file);
}

/** Removes from installed packages what nothing loads: two thirds of their files, nine tenths of their bytes. */
export function pruneInstalled(store) {
  for (const file of filesBelow(store)) {
    if (!isLoaded(file) && !licence.test(file)) rmSync(path.join(store, file));
  }
  for (const entry of readdirSync(store)) {
    if (/^@types\+|^undici-types@/.test(entry)) rmSync(path.join(store, entry), { recursive: true });
  }
  pruneIcons(store);
  removeDanglingLinks(store);
}

/** Lucide brings each icon in several forms: fonts, sprites, modules. The dashboard reads icons/NAME.svg. */
function pruneIcons(store) {
  for (const entry of readdirSync(store).filter((name) => name.startsWith('lucide-static@'))) {
    const directory = path.join(store, entry, 'node_modules', 'lucide-static');
    for (const name of readdirSync(directory)) {
      const isKept = name === 'icons' || name === 'package.json' || licence.test(name);
      if (!isKept) rmSync(path.join(directory, name), { recursive: true });
    }
  }
}

/** To types, to optional packages, and to projects that this program does without. */
function removeDanglingLinks(directory) {
  for (const entry of entriesBelow(directory)) {
    const link = path.join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink() && !existsSync(link)) rmSync(link);
  }
}

/**
 * Prisma's client brings a query compiler for each kind of database, in two sizes and two module formats: 66 MB, of
 * which the generated client names the one that it loads.
 *
 * @param {string} store node_modules/.pnpm
 * @param {string} generated the directory of the generated client
 */
export function pruneQueryCompilers(store, generated) {
  const named = new Set(
    filesBelow(generated).flatMap((file) => {
      const text = readFileSync(path.join(generated, file), 'utf8');
      return [...text.matchAll(/@prisma\/client\/runtime\/(query_compiler_[\w.-]+)"/g)].map(([, name]) => name);
    }),
  );
  if (named.size === 0) throw new Error(`The generated client in ${generated} names no query compiler.`);
  for (const entry of readdirSync(store).filter((name) => name.startsWith('@prisma+client@'))) {
    const runtime = path.join(store, entry, 'node_modules', '@prisma', 'client', 'runtime');
    for (const file of readdirSync(runtime)) {
      if (/^(query_compiler_|wasm-compiler-edge)/.test(file) && !named.has(file)) rmSync(path.join(runtime, file));
    }
  }
}
