import type { MailList } from '@artist-watch/domain/account/mail-preferences';
import type { VNode } from 'preact';
import { ActionButton } from '../../views/action.js';

const NAMES: Readonly<Record<MailList, string>> = {
  critical: 'mails about critical changes',
  destinations: 'mails about destinations that fail',
  digest: 'digests',
};

export function unsubscribeView({ list }: { readonly list: MailList }): VNode {
  return (
    <section class="sign-in">
      <h1>No more {NAMES[list]}?</h1>
      <ActionButton look="primary">Send me no more {NAMES[list]}</ActionButton>
    </section>
  );
}

export function unsubscribedView({ list }: { readonly list: MailList }): VNode {
  return (
    <section class="sign-in">
      <h1>No more {NAMES[list]}</h1>
      <p>You get no more of them. In the settings of the dashboard you can ask for them again.</p>
    </section>
  );
}

export function unknownLinkView(): VNode {
  return (
    <section class="sign-in">
      <h1>This link is not known</h1>
      <p>It may have been cut. What you get mails of is in the settings of the dashboard.</p>
    </section>
  );
}
