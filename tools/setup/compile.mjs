import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { run } from './processes.mjs';
import { root } from './root.mjs';
import { SetupError } from './setup-error.mjs';
import { hashParts, hasStamp, removeStamp, writeStamp } from './stamp.mjs';
import { workspaceDirectories } from './workspace.mjs';

const stamp = path.join(root, '.setup', 'compiled');
const notSource = new Set(['node_modules', 'dist', '.git']);

export function isCompiled() {
  return (
    projects().every((project) => existsSync(path.join(root, project, 'dist', '.tsbuildinfo'))) &&
    hasStamp(stamp, fingerprint())
  );
}

/** `tsc -b` compiles only changed projects. */
export async function compile() {
  const before = fingerprint();
  removeStamp(stamp);
  const compiled = await run(path.join(root, 'node_modules', '.bin', 'tsc'), ['-b']);
  if (compiled.failed) throw new SetupError(`The sources do not compile:\n${compiled.output.trimEnd()}`);
  // A file that changes during the compilation is compiled next time.
  writeStamp(stamp, before);
}

function projects() {
  const { references } = JSON.parse(readFileSync(path.join(root, 'tsconfig.json'), 'utf8'));
  return references.map((reference) => reference.path);
}

/** Hashes sizes and times, because running the compiler takes a hundred times longer. */
function fingerprint() {
  const files = ['tsconfig.base.json', 'tsconfig.json', ...new Set(workspaceDirectories().flatMap(listSources))];
  return hashParts(
    files.map((file) => {
      const { size, mtimeMs } = statSync(path.join(root, file));
      return `${file} ${size} ${mtimeMs}`;
    }),
  );
}

function listSources(directory) {
  return readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const file = `${directory}/${entry.name}`;
    if (entry.isDirectory()) return notSource.has(entry.name) ? [] : listSources(file);
    return /\.(tsx?|json)$/.test(entry.name) ? [file] : [];
  });
}
