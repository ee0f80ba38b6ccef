#!/usr/bin/env node
/*
 * The scripts in package.json run `node tools/setup/run.mjs COMMAND [arguments]`. Old versions of Node must be able to
 * parse this file, so that they print the message below.
 */
const [major, minor] = process.versions.node.split('.').map(Number);

if (major > 20 || (major === 20 && minor >= 19)) {
  const { runCommand } = await import('./commands.mjs');
  await runCommand(process.argv[2], process.argv.slice(3));
} else {
  process.stderr.write(`Artist Watch needs Node 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exitCode = 1;
}
