import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { DeliveryTable } from '../../views/delivery-table.js';
import { Pager, type Pages } from '../../views/filters.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty } from '../../views/states.js';
import { counted, destinationLabel, numberText } from '../../views/text.js';
import { DeliveryFilters, type FilterProps } from './list-view.js';
import type { readMissed } from './query.js';

interface RecoverProps
  extends Pages,
    Pick<Visit, 'link'>,
    Omit<FilterProps, 'destinations'>,
    Omit<Awaited<ReturnType<typeof readMissed>>, 'next'> {
  /** Of the form that sends exactly this. */
  readonly fields: Readonly<Record<string, string>>;
  readonly problem: string | undefined;
}

/** What a recovery would send, before it is sent. */
export function recoverView(props: RecoverProps): VNode {
  const { link, rows, count, leftOut, off, fields, problem, next, first, ...filters } = props;
  const action = link('/deliveries/recover');
  const some = counted(count, 'change');
  return (
    <>
      <PageHead title="Recover what was missed" crumbs={[{ label: 'Deliveries', href: link('/deliveries') }]}>
        <p>
          Each delivery that failed or was skipped is sent once, with a full round of attempts. What has arrived is not
          sent again.
        </p>
      </PageHead>
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      <DeliveryFilters {...filters} action={action} isSet={Object.keys(filters.typed).length > 0} button="Preview" />
      {off && (
        <Alert tone="warn" title={`${destinationLabel(off)} is off, paused or deleted: enable it first`}>
          {!off.isDeleted && (
            <p>
              <a href={link(`/destinations/${off.id}`)}>To the destination</a>
            </p>
          )}
        </Alert>
      )}
      <Section
        title={`${some} would be sent`}
        actions={
          count > 0 &&
          !off && (
            <ActionButton action={action} fields={fields} look="primary">
              Send {count === 1 ? 'it' : 'them'} now
            </ActionButton>
          )
        }
      >
        {leftOut > 0 && (
          <p class="soft">
            {numberText(leftOut)} {count > 0 && 'more '}
            {leftOut === 1 ? 'was' : 'were'} missed by destinations that are off, paused or deleted, and{' '}
            {leftOut === 1 ? 'is' : 'are'} left out. Enable a destination first, then recover what it missed.
          </p>
        )}
        <DeliveryTable
          caption="What would be sent, newest first"
          {...{ link, rows }}
          empty={<Empty {...whyNone(props)} />}
        />
      </Section>
      <Pager {...{ first, next }} />
    </>
  );
}

function whyNone({ first, leftOut }: RecoverProps) {
  if (first !== undefined) return { title: 'Nothing earlier', icon: 'history' } as const;
  if (leftOut > 0) return { title: 'Nothing can be sent now', icon: 'pause' } as const;
  return { title: 'Nothing was missed that passes these filters', icon: 'check' } as const;
}
