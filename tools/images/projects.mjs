import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../setup/root.mjs';
import { workspaceDirectories } from '../setup/workspace.mjs';

/**
 * Returns a workspace project and the projects that it depends on at run time, the project itself first.
 *
 * @param {string} name from its package.json
 * @returns {string[]} directories, relative to the checkout
 */
export function neededProjects(name) {
  const byName = new Map(
    workspaceDirectories().map((directory) => {
      const manifest = JSON.parse(readFileSync(path.join(root, directory, 'package.json'), 'utf8'));
      return [manifest.name, { directory, dependencies: Object.entries(manifest.dependencies ?? {}) }];
    }),
  );
  const needed = new Set();
  const visit = (project) => {
    const found = byName.get(project);
    if (!found) throw new Error(`There is no project ${project} in this workspace.`);
    if (needed.has(found.directory)) return;
    needed.add(found.directory);
    for (const [dependency, version] of found.dependencies) if (version.startsWith('workspace:')) visit(dependency);
  };
  visit(name);
  return [...needed];
}

/** Returns all files below a directory, as sorted relative paths. Does not follow links. */
export function filesBelow(directory) {
  return entriesBelow(directory)
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort();
}

/**
 * Returns all entries below a directory except directories. Does not follow links, unlike `recursive` in newer versions
 * of Node.
 */
export function entriesBelow(directory) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? entriesBelow(path.join(directory, entry.name)) : [entry],
  );
}
