import { readFileSync } from 'node:fs';

/** Prints `N passed, N failed` from jest's JSON result; a run that never came to its end counts as one failure. */
const text = readFileSync(process.argv[2], 'utf8');
const result = text ? JSON.parse(text) : { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 1 };
const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
process.stdout.write(`${result.numPassedTests} passed, ${failed} failed\n`);
