import Sequencer from '@jest/test-sequencer';

/**
 * The suites that take longest start first, so that none is left for one core at the end. Jest goes by the size of the
 * files, and a suite that plays every scenario is three lines long.
 */
const LONGEST = [/change-ingest\/(scenarios|watching|soak)/, /tests\/e2e\//, /\.stack\.test\.ts$|conformance|chaos/];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const found = LONGEST.findIndex((pattern) => pattern.test(path));
      return found < 0 ? LONGEST.length : found;
    };
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
}
