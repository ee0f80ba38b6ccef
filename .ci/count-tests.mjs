import { readFileSync } from 'node:fs';

// Prints `N passed, N failed` for Jest's JSON results. An empty file counts as one failure, because its run did not finish.
const results = process.argv
  .slice(2)
  .map((file) => readFileSync(file, 'utf8'))
  .map((text) => (text ? JSON.parse(text) : { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 1 }));
const sum = (name) => results.reduce((total, result) => total + result[name], 0);
process.stdout.write(
  `${sum('numPassedTests')} passed, ${sum('numFailedTests') + sum('numRuntimeErrorTestSuites')} failed\n`,
);
