import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './root.mjs';

/** Directories in pnpm-workspace.yaml, relative to the root. */
export function workspaceDirectories() {
  const lines = readFileSync(path.join(root, 'pnpm-workspace.yaml'), 'utf8').split('\n');
  const start = lines.indexOf('packages:') + 1;
  const patterns = [];
  for (const line of lines.slice(start)) {
    const pattern = /^\s+-\s+(\S+)$/.exec(line)?.[1];
    if (!pattern) break;
    patterns.push(pattern);
  }
  return patterns.flatMap(expandPattern).filter((directory) => existsSync(path.join(root, directory, 'package.json')));
}

function expandPattern(pattern) {
  if (!pattern.endsWith('/*')) return [pattern];
  const parent = pattern.slice(0, -2);
  return readdirSync(path.join(root, parent), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${parent}/${entry.name}`)
    .sort();
}
