import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import { ATTEMPT_ERRORS } from '@artist-watch/domain/delivery/attempt-errors';
import { STATUS_CLASSES } from '@artist-watch/domain/delivery/delivery-filter';
import { DELIVERY_STATES } from '@artist-watch/domain/delivery/delivery-state';
import type { DestinationLabel } from '@artist-watch/persistence/destination/reads';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { DeliveryTable, TRIGGER_WORDS } from '../../views/delivery-table.js';
import { Filters, Pager, type Pages } from '../../views/filters.js';
import { fieldsOf, type Option, Select, TextField } from '../../views/form.js';
import { PageHead } from '../../views/page-head.js';
import { DestinationsNeedPlan, Empty, hasDestinations } from '../../views/states.js';
import { destinationLabel } from '../../views/text.js';
import type { AskedDeliveriesFilter, readDeliveries } from './query.js';

export interface FilterProps extends Pick<AskedDeliveriesFilter, 'typed' | 'errors'> {
  readonly destinations: readonly DestinationLabel[];
}

interface DeliveriesProps extends FilterProps, Pages {
  readonly link: Visit['link'];
  readonly plan: PlanName;
  readonly rows: Awaited<ReturnType<typeof readDeliveries>>['rows'];
}

/** Of filters that are asked for seldom. */
const MORE_FIELDS = ['trigger', 'error', 'status_class', 'change', 'since', 'until'] as const;

export function deliveriesView({ link, plan, typed, errors, destinations, rows, next, first }: DeliveriesProps): VNode {
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
          <a class="button" href={link(`/deliveries/recover?${new URLSearchParams(typed)}`)}>
            Recover all that match …
          </a>
        }
      >
        <p>Each confirmed change on its way to each destination, newest first.</p>
      </PageHead>
      <DeliveryFilters {...{ action, isSet, typed, errors, destinations }} />
      {rows.length === 0 ? (
        <Empty title={isSet ? 'No delivery passes these filters' : 'Nothing was sent yet'} icon="send">
          <p>
            {isSet ? (
              <a href={action}>Show all deliveries</a>
            ) : (
              <>
                As soon as a change is confirmed, it is sent to each of your{' '}
                <a href={link('/destinations')}>destinations</a> whose rules let it through.
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
    </>
  );
}

const BLAMES: readonly Option[] = [
  { value: 'receiver', label: "the receiver's" },
  { value: 'policy', label: 'a forbidden address' },
];
const CAUSES: readonly Option[] = Object.entries(TRIGGER_WORDS).map(([value, label]) => ({ value, label }));

interface DeliveryFiltersProps extends FilterProps {
  readonly action: string;
  readonly isSet: boolean;
  /** `Filter` unless given. */
  readonly button?: string;
}

export function DeliveryFilters({ destinations, typed, errors, ...form }: DeliveryFiltersProps): VNode {
  const field = fieldsOf(typed, errors);
  const orAny = (options: readonly Option[]) => [{ value: '', label: 'Any' }, ...options];
  return (
    <Filters {...form} errors={errors}>
      <Select
        {...field('destination', 'Destination')}
        options={orAny(destinations.map((each) => ({ value: each.id, label: destinationLabel(each) })))}
      />
      <Select {...field('state', 'State')} options={orAny(DELIVERY_STATES.map(sameWord))} />
      <Select {...field('blame', 'Whose fault')} options={orAny(BLAMES)} />
      <details open={MORE_FIELDS.some((field) => typed[field] ?? errors[field])}>
        <summary>More filters</summary>
        <div class="filters">
          <Select {...field('trigger', 'Cause')} options={orAny(CAUSES)} />
          <Select {...field('error', 'Error')} options={orAny(ATTEMPT_ERRORS.map(sameWord))} />
          <Select {...field('status_class', 'Status')} options={orAny(STATUS_CLASSES.map(sameWord))} />
          <TextField {...field('change', 'Change')} placeholder="chg_…" />
          <TextField {...field('since', 'Since (UTC)')} placeholder="2026-05-01" />
          <TextField {...field('until', 'Before (UTC)')} placeholder="2026-05-02" />
        </div>
      </details>
    </Filters>
  );
}

function sameWord(value: string): Option {
  const words: Record<string, string> = { succeeded: 'delivered', none: 'no status' };
  return { value, label: words[value] ?? value.replaceAll('_', ' ') };
}
