import type { DeliveryDetail } from '@artist-watch/delivery/store/reads';
import { CHANGE_TYPES } from '@artist-watch/domain/change/change-types';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { adviceOn } from '@artist-watch/domain/delivery/attempt-errors';
import { whySkipped } from '@artist-watch/domain/delivery/delivery-state';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { CodeBlock } from '../../views/copyable.js';
import { Form, optionsOf, Select } from '../../views/form.js';
import { Live, Section } from '../../views/page-head.js';
import { Alert } from '../../views/states.js';
import { durationText } from '../../views/text.js';

interface TestProps extends Pick<Visit, 'link'> {
  readonly destinationId: string;
  /** The last test sent from this page. */
  readonly test: DeliveryDetail | undefined;
}

export function TestSection({ link, destinationId, test }: TestProps): VNode {
  return (
    <Section title="Test" id="test">
      <div class="columns">
        <Form action={link(`/destinations/${destinationId}/test`)} button="Send a test">
          <Select
            name="change_type"
            label="Sample change"
            hint="We send one request, even while the channel is off. It never counts as a failure. Up to 10 tests per minute."
            value="release_added"
            options={optionsOf(Object.keys(CHANGE_TYPES), changeTitle)}
          />
        </Form>
        <TestResultBox {...{ link, destinationId, test }} />
      </div>
    </Section>
  );
}

export function TestResultBox({ link, destinationId, test }: TestProps): VNode {
  const again = link(`/destinations/${destinationId}?test=${test?.id}`);
  const isUnderWay = test !== undefined && test.attempts.length === 0 && test.state === 'pending';
  return (
    <Live id="test-result" from={again} everySeconds={2} isOver={!isUnderWay}>
      <div aria-live="polite">{test && <TestResult {...{ link, again, test }} />}</div>
    </Live>
  );
}

function TestResult({ link, again, test }: Pick<TestProps, 'link'> & { again: string; test: DeliveryDetail }): VNode {
  const details = <a href={link(`/deliveries/${test.id}`)}>View test</a>;
  const [attempt] = test.attempts;
  if (!attempt) {
    return test.state === 'pending' ? (
      <Alert tone="info" title="Test in progress">
        <p>
          <a href={again}>Refresh</a>
        </p>
      </Alert>
    ) : (
      <Alert tone="warn" title="Test not sent">
        <p>
          {whySkipped(test.skippedReason)} {details}
        </p>
      </Alert>
    );
  }
  const { outcome, statusCode, error, reason, responseExcerpt } = attempt;
  const answer = statusCode === null ? 'No response' : `Your receiver responded with ${statusCode}`;
  const advice = error === null ? null : adviceOn(error);
  return (
    <div class="stack">
      <Alert
        tone={outcome === 'succeeded' ? 'good' : 'bad'}
        title={outcome === 'succeeded' ? 'The test arrived' : "The test didn't arrive"}
      >
        <p>{`${answer} after ${durationText(attempt)}.`}</p>
        {reason !== null && <p>{reason}</p>}
        {advice !== null && <p>{advice}</p>}
        <p>{details}</p>
      </Alert>
      {responseExcerpt && <CodeBlock label="the response" code={responseExcerpt} />}
    </div>
  );
}
