import type { VNode } from 'preact';
import { SeverityBadge } from '../../views/badge.js';
import { Instant } from '../../views/instant.js';
import { PageHead } from '../../views/page-head.js';
import { ChangeFacts, PrintButton, type ShownChangeProps } from './view.js';

/** The change for whoever has a share link: what the account's members read beside it is left out. */
export function sharedChangeView({ expiresAt, ...shown }: ShownChangeProps & { readonly expiresAt: Date }): VNode {
  const { change } = shown;
  return (
    <>
      <PageHead
        title={<bdi>{change.summary}</bdi>}
        badges={<SeverityBadge severity={change.severity} />}
        actions={<PrintButton />}
      >
        <p>
          Shared with you from Artist Watch, until <Instant at={expiresAt} />.
        </p>
      </PageHead>
      <ChangeFacts {...shown} />
    </>
  );
}
