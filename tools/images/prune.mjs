import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { entriesBelow, filesBelow } from './projects.mjs';

/** Types, source maps, build metadata, documents and tests, which no program loads. */
const neverLoaded = /\.(d\.[cm]?ts|[cm]?ts|map|tsbuildinfo|md|markdown)$|\.test\.js$/i;

/** License files, which are always kept. */
const licence = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i;

/** True if a program can load the file. */
export function isLoaded(file) {
  return !neverLoaded.test(file);
}

/** Removes installed files that no program loads. */
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

/**
 * Keeps Lucide's icons/NAME.svg, which the dashboard reads. Removes the fonts, sprites and modules with the same icons.
 */
function pruneIcons(store) {
  for (const entry of readdirSync(store).filter((name) => name.startsWith('lucide-static@'))) {
    const directory = path.join(store, entry, 'node_modules', 'lucide-static');
    for (const name of readdirSync(directory)) {
      const isKept = name === 'icons' || name === 'package.json' || licence.test(name);
      if (!isKept) rmSync(path.join(directory, name), { recursive: true });
    }
  }
}

/** Removes links to removed types, optional packages and unneeded projects. */
function removeDanglingLinks(directory) {
  for (const entry of entriesBelow(directory)) {
    const link = path.join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink() && !existsSync(link)) rmSync(link);
  }
}

/**
 * Keeps the query compiler that the generated Prisma client loads. Prisma ships one for each database in two sizes and
 * two module formats, 66 MB together.
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
  if (named.size === 0) throw new Error(`The generated client in ${generated} does not name a query compiler.`);
  for (const entry of readdirSync(store).filter((name) => name.startsWith('@prisma+client@'))) {
    const runtime = path.join(store, entry, 'node_modules', '@prisma', 'client', 'runtime');
    for (const file of readdirSync(runtime)) {
      if (/^(query_compiler_|wasm-compiler-edge)/.test(file) && !named.has(file)) rmSync(path.join(runtime, file));
    }
  }
}
