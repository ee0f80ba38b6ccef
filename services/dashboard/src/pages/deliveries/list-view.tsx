import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { ATTEMPT_ERRORS } from '@artist-watch/domain/delivery/attempt-errors';
import { DELIVERY_STATES, STATUS_CLASSES } from '@artist-watch/domain/delivery/delivery-state';
import type { DestinationLabel } from '@artist-watch/persistence/destination/reads';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { Filters, Pager, type Pages } from '../../views/filters.js';
import { ActionButton, fieldsOf, LinkButton, type Options, optionsOf, Select, TextField } from '../../views/form.js';
import { Live, PageHead, Section } from '../../views/page-head.js';
import { Alert, DestinationsNeedPlan, Empty, hasDestinations } from '../../views/states.js';
import { DeliveryTable, TRIGGER_WORDS } from '../../views/table.js';
import { counted, destinationLabel } from '../../views/text.js';
import type { AskedDeliveriesFilter, readDeliveries, readMissed } from './query.js';

interface FilterProps extends Pick<AskedDeliveriesFilter, 'typed' | 'errors'> {
  readonly destinations: readonly DestinationLabel[];
}

interface DeliveriesProps extends FilterProps, Pages {
  readonly link: Visit['link'];
  readonly plan: PlanName;
  readonly rows: Awaited<ReturnType<typeof readDeliveries>>['rows'];
  /** The URL of this page of the list. */
  readonly from: string;
}

export const LIVE = 'live';

export function deliveriesView(props: DeliveriesProps): VNode {
  const { link, plan, typed, errors, destinations, rows } = props;
  const action = link('/deliveries');
  const isSet = Object.keys(typed).length > 0;
  if (rows.length === 0 && !isSet && !hasDestinations(PLANS[plan])) {
    return (
      <>
        <PageHead title="Deliveries" />
        <DestinationsNeedPlan plan={plan} />
      </>
    );
  }
  return (
    <>
      <PageHead
        title="Deliveries"
        actions={
          <LinkButton href={link(`/deliveries/recover?${new URLSearchParams(typed)}`)} label="Send missed changes…" />
        }
      >
        <p>Confirmed changes and their delivery to each channel, newest first.</p>
      </PageHead>
      <DeliveryFilters {...{ action, typed, errors, destinations }} />
      {listView(props)}
    </>
  );
}

export function listView({ link, typed, rows, from, next, first }: DeliveriesProps): VNode {
  const isSet = Object.keys(typed).length > 0;
  return (
    <Live id={LIVE} from={from}>
      {rows.length === 0 ? (
        <Empty title={isSet ? 'No deliveries match' : 'No deliveries yet'} icon="send">
          <p>
            {isSet ? (
              <a href={link('/deliveries')}>Show all deliveries</a>
            ) : (
              <>
                Each confirmed change is sent to every <a href={link('/destinations')}>channel</a> whose rules it
                matches.
              </>
            )}
          </p>
        </Empty>
      ) : (
        <div class="section">
          <DeliveryTable caption="Deliveries" {...{ link, rows }} />
        </div>
      )}
      <Pager {...{ first, next }} />
    </Live>
  );
}

function DeliveryFilters({ destinations, ...form }: FilterProps & { action: string; button?: string }): VNode {
  const field = fieldsOf(form.typed, form.errors);
  const orAny = (options: Options) => ({ '': 'Any', ...options });
  return (
    <Filters {...form} search={<TextField {...field('change', 'Change ID')} />}>
      <Select
        {...field('destination', 'Channel')}
        options={orAny(Object.fromEntries(destinations.map((each) => [each.id, destinationLabel(each)])))}
      />
      <Select {...field('state', 'State')} options={orAny(optionsOf(DELIVERY_STATES, wordOf))} />
      <Select
        {...field('blame', 'Problem')}
        options={orAny({ receiver: 'Receiver or network', policy: 'URL not allowed' })}
      />
      <Select {...field('trigger', 'Sent as')} options={orAny(TRIGGER_WORDS)} />
      <Select {...field('error', 'Cause')} options={orAny(optionsOf(ATTEMPT_ERRORS, wordOf))} />
      <Select {...field('status_class', 'HTTP status')} options={orAny(optionsOf(STATUS_CLASSES, wordOf))} />
      <div class="period">
        <TextField {...field('since', 'Since (UTC)')} placeholder="YYYY-MM-DD" />
        <TextField {...field('until', 'Before (UTC)')} placeholder="YYYY-MM-DD" />
      </div>
    </Filters>
  );
}

function wordOf(value: string): string {
  const words: Record<string, string> = { succeeded: 'delivered', skipped: 'missed', none: 'no response' };
  return changeTitle(words[value] ?? value);
}

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
            Enable their channels first:{' '}
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
