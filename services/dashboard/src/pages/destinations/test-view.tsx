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
  /** The test that was sent last from this page. */
  readonly test: DeliveryDetail | undefined;
}

/** Sends a sample, with what came of it beside; htmx asks again until it is known. */
export function TestSection({ link, destinationId, test }: TestProps): VNode {
  return (
    <Section title="Test" id="test">
      <div class="columns">
        <Form action={link(`/destinations/${destinationId}/test`)} button="Send a test">
          <Select
            name="change_type"
            label="A sample of"
            hint="One request that counts as nothing, also while the destination is off. Ten a minute."
            value="release_added"
            options={optionsOf(Object.keys(CHANGE_TYPES), changeTitle)}
          />
        </Form>
        <TestResultBox {...{ link, destinationId, test }} />
      </div>
    </Section>
  );
}

/** What came of the test; htmx puts it in its own place. */
export function TestResultBox({ link, destinationId, test }: TestProps): VNode {
  const again = link(`/destinations/${destinationId}?test=${test?.id}`);
  const isUnderWay = test !== undefined && test.attempts.length === 0 && test.state === 'pending';
  return (
    <Live id="test-result" from={again} everySeconds={2} isOver={!isUnderWay}>
      <div aria-live="polite">{test && <TestResult {...{ link, again, test }} />}</div>
    </Live>
  );
}

interface TestResultProps extends Pick<TestProps, 'link'> {
  readonly again: string;
  readonly test: DeliveryDetail;
}

function TestResult({ link, again, test }: TestResultProps): VNode {
  const details = <a href={link(`/deliveries/${test.id}`)}>All of this test</a>;
  const [attempt] = test.attempts;
  if (!attempt) {
    return test.state === 'pending' ? (
      <Alert tone="info" title="The test is on its way">
        <p>
          <a href={again}>Look again</a>
        </p>
      </Alert>
    ) : (
      <Alert tone="warn" title="The test was not sent">
        <p>
          {whySkipped(test.skippedReason)} {details}
        </p>
      </Alert>
    );
  }
  const { outcome, statusCode, error, reason, responseExcerpt } = attempt;
  const answer = statusCode === null ? 'No answer' : `Your receiver answered ${statusCode}`;
  const advice = error === null ? null : adviceOn(error);
  return (
    <div class="stack">
      <Alert tone={outcome === 'succeeded' ? 'good' : 'bad'} title={`${answer} after ${durationText(attempt)}`}>
        {reason !== null && <p>{reason}</p>}
        {advice !== null && <p>{advice}</p>}
        <p>{details}</p>
      </Alert>
      {responseExcerpt && <CodeBlock label="the answer" code={responseExcerpt} />}
    </div>
  );
}
