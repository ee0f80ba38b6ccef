import Sequencer from '@jest/test-sequencer';

/**
 * The suites that take longest start first, so that none is left for one core at the end. Jest goes by the size of the
 * files, and a suite that plays every scenario is three lines long.
 */
const LONGEST = [
  /\/(scenarios|conformance)\/|chaos\/[^/]+$|delivery-bench|local-stack\.test|contract\/(containers|receivers)/,
  /tests\/e2e\/|-bench\.|change-ingest\/(watching|soak|replicas|process)|cli\/process|k8s-alerts|queue-shards/,
  /tests\/integration\/|\.stack\.test\.ts$/,
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const found = LONGEST.findIndex((pattern) => pattern.test(path));
      return found < 0 ? LONGEST.length : found;
    };
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
}
