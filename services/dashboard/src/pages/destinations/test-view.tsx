import type { DeliveryDetail } from '@artist-watch/delivery/store/reads';
import { CHANGE_TYPES } from '@artist-watch/domain/change/change-types';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { adviceOn } from '@artist-watch/domain/delivery/attempt-errors';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { CodeBlock } from '../../views/copyable.js';
import { Form, Select } from '../../views/form.js';
import { Section } from '../../views/page-head.js';
import { Alert } from '../../views/states.js';

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
            options={Object.keys(CHANGE_TYPES).map((value) => ({ value, label: changeTitle(value) }))}
          />
        </Form>
        <TestResultBox {...{ link, destinationId, test }} />
      </div>
    </Section>
  );
}

/** What came of the test; htmx puts it in its own place. */
export function TestResultBox({ link, destinationId, test }: TestProps): VNode {
  const again = test && link(`/destinations/${destinationId}?test=${test.id}`);
  const isUnderWay = test !== undefined && test.attempts.length === 0 && test.state === 'pending';
  const polling = {
    ...{ 'data-hx-get': again, 'data-hx-trigger': 'every 2s' },
    ...{ 'data-hx-target': '#test-result', 'data-hx-swap': 'outerHTML' },
  };
  return (
    <div id="test-result" aria-live="polite" {...(isUnderWay && polling)}>
      {test && <TestResult link={link} again={again ?? ''} test={test} />}
    </div>
  );
}

function TestResult({ link, again, test }: { link: TestProps['link']; again: string; test: DeliveryDetail }): VNode {
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
        <p>{details}</p>
      </Alert>
    );
  }
  const { outcome, statusCode, error, reason, responseExcerpt, startedAt, endedAt } = attempt;
  const ms = Math.max(0, endedAt.getTime() - startedAt.getTime());
  const advice = error === null ? null : adviceOn(error);
  return (
    <div class="stack">
      <Alert
        tone={outcome === 'succeeded' ? 'good' : 'bad'}
        title={
          statusCode === null
            ? `No answer after ${ms}\u00a0ms`
            : `Your receiver answered ${statusCode} after ${ms}\u00a0ms`
        }
      >
        {reason !== null && <p>{reason}</p>}
        {advice !== null && <p>{advice}</p>}
        <p>{details}</p>
      </Alert>
      {responseExcerpt !== null && responseExcerpt !== '' && <CodeBlock label="the answer" code={responseExcerpt} />}
    </div>
  );
}
