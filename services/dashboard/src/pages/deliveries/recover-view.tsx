import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { DeliveryTable } from '../../views/delivery-table.js';
import { Pager, type Pages } from '../../views/filters.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty } from '../../views/states.js';
import { counted, destinationLabel } from '../../views/text.js';
import { DeliveryFilters, type FilterProps } from './list-view.js';
import type { readMissed } from './query.js';

interface RecoverProps
  extends Pages,
    Pick<Visit, 'link'>,
    Omit<FilterProps, 'destinations'>,
    Omit<Awaited<ReturnType<typeof readMissed>>, 'next'> {
  readonly fields: Readonly<Record<string, string>>;
  readonly problem: string | undefined;
}

export function recoverView(props: RecoverProps): VNode {
  const { link, rows, count, leftOut, off, fields, problem, next, first, ...filters } = props;
  const action = link('/deliveries/recover');
  const some = counted(count, 'change');
  const waiting = filters.destinations.filter(({ isUndeliverable, isDeleted }) => isUndeliverable && !isDeleted);
  return (
    <>
      <PageHead title="Send missed changes" crumbs={[{ label: 'Deliveries', href: link('/deliveries') }]}>
        <p>Sends every change that failed or was missed, and retries if needed. Delivered changes aren't sent again.</p>
      </PageHead>
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      <DeliveryFilters {...filters} action={action} button="Preview" />
      {off && (
        <Alert tone="warn" title={`${destinationLabel(off)} is switched off, paused or deleted`}>
          {!off.isDeleted && (
            <p>
              Enable it first: <a href={link(`/destinations/${off.id}`)}>View channel</a>
            </p>
          )}
        </Alert>
      )}
      <Section
        title={
          count === 0 && leftOut > 0 ? `${counted(leftOut, 'missed change')} can't be sent yet` : `${some} to send`
        }
        actions={
          count > 0 &&
          !off && (
            <ActionButton action={action} fields={fields} look="primary">
              Send {some}
            </ActionButton>
          )
        }
      >
        {leftOut > 0 && (
          <p class="soft">
            {count > 0 && `${counted(leftOut, 'more missed change')} can't be sent yet. `}
            Their channels are off, paused or deleted.{waiting.length > 0 && ' Enable first: '}
            {waiting.map((channel, index) => (
              <>
                {index > 0 && ', '}
                <a href={link(`/destinations/${channel.id}`)}>{destinationLabel(channel)}</a>
              </>
            ))}
          </p>
        )}
        {(rows.length > 0 || leftOut === 0 || first !== undefined) && (
          <DeliveryTable
            caption="Changes to send, newest first"
            {...{ link, rows }}
            empty={<Empty {...whyNone(first)} />}
          />
        )}
      </Section>
      <Pager {...{ first, next }} />
    </>
  );
}

function whyNone(first: string | undefined) {
  if (first !== undefined) return { title: 'No earlier deliveries', icon: 'history' } as const;
  return { title: 'No missed changes match', icon: 'check' } as const;
}
