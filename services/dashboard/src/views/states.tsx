import { PLANS, type PlanName, planTitle } from '@artist-watch/domain/account/plans';
import { SWITCHED_OFF_BY_REQUEST } from '@artist-watch/domain/delivery/delivery-state';
import type { ComponentChildren, VNode } from 'preact';
import { Icon, type IconName } from './icon.js';
import { Instant } from './instant.js';
import { currentReader } from './markup.js';

interface EmptyProps {
  readonly title: string;
  readonly icon?: IconName;
  readonly children?: ComponentChildren;
}

export function Empty({ title, icon = 'circle-dashed', children }: EmptyProps): VNode {
  return (
    <div class="state">
      <Icon name={icon} />
      <p class="state-title">{title}</p>
      {children}
    </div>
  );
}

export function NoArtistsYet({ link }: { readonly link: (path: string) => string }): VNode {
  return (
    <Empty title="You're not watching any artists yet" icon="mic-vocal">
      <p>
        <a href={link('/artists/add')}>Add artists</a> by name, link or ID. The first check takes a few seconds. From
        then on, you'll see every change.
      </p>
    </Empty>
  );
}

/** Links to UPGRADE_URL, or shows the children if it is not set. */
export function Upgrade({ label, children }: { label: string; children?: ComponentChildren }): VNode {
  const { upgradeUrl } = currentReader();
  return <>{upgradeUrl === undefined ? children : <a href={upgradeUrl}>{label}</a>}</>;
}

interface PlanTooSmallProps {
  readonly what: string;
  readonly plan: PlanName;
  readonly has: (plan: (typeof PLANS)[PlanName]) => boolean;
  readonly children?: ComponentChildren;
}

export function PlanTooSmall({ what, plan, has, children }: PlanTooSmallProps): VNode {
  const [smallest] = (Object.keys(PLANS) as PlanName[]).filter((name) => has(PLANS[name]));
  return (
    <Empty title={`${what} come with the ${planTitle(smallest ?? 'business')} plan`} icon="lock">
      <p>
        This account is on the {planTitle(plan)} plan.{' '}
        <Upgrade label="Upgrade">To upgrade, contact our support.</Upgrade>
      </p>
      {children}
    </Empty>
  );
}

export function hasDestinations({ destinations, chatDestinations }: (typeof PLANS)[PlanName]): boolean {
  return destinations + chatDestinations > 0;
}

export function DestinationsNeedPlan({ plan }: { readonly plan: PlanName }): VNode {
  return <PlanTooSmall what="Channels" plan={plan} has={hasDestinations} />;
}

export function NothingSoFar({ what }: { readonly what: string }): VNode {
  return (
    <Empty title="Nothing on this page matches" icon="search">
      <p>
        Each page searches 10,000 {what}. The next page continues with older {what}.
      </p>
    </Empty>
  );
}

export function MessagePage({ title, children }: Omit<EmptyProps, 'icon'>): VNode {
  return (
    <section class="sign-in">
      <h1>{title}</h1>
      <p>{children}</p>
    </section>
  );
}

interface AlertProps extends Omit<EmptyProps, 'icon'> {
  readonly tone: keyof typeof ALERT_ICONS;
}

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

/** Leaves out the last response, because the pages explain it separately. */
export function WhyOff({ reason, at }: { readonly reason: string | null; readonly at: Date | null }): VNode {
  const cause = (reason ?? '').replace(/(;.*)?\.$/, '');
  const why = cause.startsWith('Switched off') ? cause.slice('Switched off'.length) : cause && `: ${cause}`;
  return (
    <>
      was {reason === SWITCHED_OFF_BY_REQUEST ? 'disabled' : `switched off${why}`}
      {at && (
        <>
          , <Instant at={at} />
        </>
      )}
      .
    </>
  );
}
