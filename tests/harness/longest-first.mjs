import Sequencer from '@jest/test-sequencer';

/** Long suites start first, so that none runs alone at the end. Jest would sort by file size. */
const LONGEST = [
  /\/(scenarios|conformance)\/|chaos\/[^/]+$|local-stack\.test|contract\/(containers|receivers)/,
  /tests\/e2e\/|change-ingest\/(watching|soak|replicas|process)|cli\/process|queue-shards/,
  /tests\/integration\/|\.stack\.test\.ts$/,
];

/** These suites use less than half a core, because they wait for timeouts, retries and frozen servers. */
const WAITING = [
  /hostile-names|settings\/mails|shared-request-budget/,
  /delivery\/(egress|hostile-receivers|hostile-worker|pacing|stale-claims)\.test/,
  /account-lock\.503|access-middleware\.(429|503)|tools\.502-504|tools-allowance/,
];

export default class LongestFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const found = LONGEST.findIndex((pattern) => pattern.test(path));
      return found < 0 ? LONGEST.length : found;
    };
    const isWaiting = ({ path }) => WAITING.some((pattern) => pattern.test(path));
    const longestFirst = [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
    return alternately(
      longestFirst.filter((test) => !isWaiting(test)),
      longestFirst.filter(isWaiting),
    );
  }
}

/** Several waiting suites at the same time would leave the cores idle. */
function alternately(some, others) {
  const pairs = Math.max(some.length, others.length);
  return Array.from({ length: pairs }, (_, index) => [some[index], others[index]])
    .flat()
    .filter((test) => test !== undefined);
}
