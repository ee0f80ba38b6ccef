import { readFileSync } from 'node:fs';

/** Prints `N passed, N failed` from jest's JSON results; a run that never came to its end counts as one failure. */
const results = process.argv
  .slice(2)
  .map((file) => readFileSync(file, 'utf8'))
  .map((text) => (text ? JSON.parse(text) : { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 1 }));
const sum = (name) => results.reduce((total, result) => total + result[name], 0);
process.stdout.write(
  `${sum('numPassedTests')} passed, ${sum('numFailedTests') + sum('numRuntimeErrorTestSuites')} failed\n`,
);
