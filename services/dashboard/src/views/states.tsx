import { PLANS, type PlanName } from '@artist-watch/domain/account/plans';
import type { ComponentChildren, VNode } from 'preact';
import { Icon, type IconName } from './icon.js';
import { Instant } from './instant.js';

interface EmptyProps {
  readonly title: string;
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
}

/** There is nothing here: why, and what to do about it. */
export function Empty({ title, icon = 'circle-dashed', children }: EmptyProps): VNode {
  return (
    <div class="state">
      <Icon name={icon} />
      <p class="state-title">{title}</p>
      {children}
    </div>
  );
}

/** Of an account that watches no artist. */
export function NobodyWatched({ link }: { readonly link: (path: string) => string }): VNode {
  return (
    <Empty title="Nobody is watched yet" icon="mic-vocal">
      <p>
        <a href={link('/artists/add')}>Add artists</a> by their names, links or ids. The first reading takes some
        seconds, and what changes from then on is reported.
      </p>
    </Empty>
  );
}

interface PlanTooSmallProps {
  readonly what: string;
  readonly plan: PlanName;
  /** Whether a plan has it. */
  readonly has: (plan: (typeof PLANS)[PlanName]) => boolean;
  readonly children?: ComponentChildren;
}

/** The plan has none of it. @param what with a capital, in the plural: `Webhook destinations`. */
export function PlanTooSmall({ what, plan, has, children }: PlanTooSmallProps): VNode {
  const [smallest] = (Object.keys(PLANS) as PlanName[]).filter((name) => has(PLANS[name]));
  return (
    <Empty title={`${what} come with the ${planTitle(smallest ?? 'business')} plan`} icon="lock">
      <p>This account is on the {planTitle(plan)} plan. Whoever manages your contract can change it.</p>
      {children}
    </Empty>
  );
}

/** Whether a plan has destinations of any kind. */
export function hasDestinations({ destinations, chatDestinations }: (typeof PLANS)[PlanName]): boolean {
  return destinations + chatDestinations > 0;
}

export function DestinationsNeedPlan({ plan }: { readonly plan: PlanName }): VNode {
  return <PlanTooSmall what="Destinations" plan={plan} has={hasDestinations} />;
}

interface AlertProps {
  readonly tone: 'bad' | 'warn' | 'good' | 'info';
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** Something is wrong, or was done: a box in the flow of the page. */
export function Alert({ tone, title, children }: AlertProps): VNode {
  return (
    <div class={`alert ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon name={ALERT_ICONS[tone]} />
      <div>
        <p class="alert-title">{title}</p>
        {children}
      </div>
    </div>
  );
}

const ALERT_ICONS = { bad: 'circle-alert', warn: 'triangle-alert', good: 'circle-check', info: 'info' } as const;

/** "4 failures in a row, 2 hours ago." Why a destination is off; older reasons end with a full stop. */
export function WhyOff({ reason, at }: { readonly reason: string | null; readonly at: Date | null }): VNode {
  return (
    <>
      {reason?.replace(/\.$/, '') ?? 'Switched off'}
      {at && (
        <>
          , <Instant at={at} />
        </>
      )}
      .
    </>
  );
}

export function planTitle(plan: PlanName): string {
  return `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`;
}
