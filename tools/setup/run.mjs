#!/usr/bin/env node
/*
 * The one way in: `node tools/setup/run.mjs COMMAND [arguments]`, which is what every script of package.json does.
 * It needs nothing but Node, so it can install the rest. Kept to syntax that old releases of Node understand, or they
 * would show a syntax error in place of the sentence.
 */
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 20 || (major === 20 && minor >= 19)) {
  const { runCommand } = await import('./commands.mjs');
  await runCommand(process.argv[2], process.argv.slice(3));
} else {
  process.stderr.write(`Artist Watch needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
}
