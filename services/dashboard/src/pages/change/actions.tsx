import type { EvidencedChange } from '@artist-watch/contracts/api/change';
import { type ChangeStatus, MAX_NOTE_CHARS } from '@artist-watch/domain/change/change-types';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton, LinkButton } from '../../views/form.js';
import { Icon, type IconName, StateBadge } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';

interface ActionsProps extends Pick<Visit, 'link'> {
  readonly change: EvidencedChange;
  readonly platformName: string;
  readonly platformUrl: string | null;
  readonly members: ReadonlyArray<{ readonly email: string }>;
  /** A letter to the distributor. Undefined if there is nothing to correct. */
  readonly text: string | undefined;
  /** True if the change still has to be corrected. */
  readonly isOpen: boolean;
}

export function Actions({ link, change, platformName, platformUrl, members, text, isOpen }: ActionsProps): VNode {
  const { id, status, statusBy, statusAt, assignee, note } = change;
  const action = link('/changes/handling');
  return (
    <section class="aside" aria-label="Next steps">
      <div class="section">
        {text !== undefined && (
          <button type="button" class={isOpen ? 'primary' : undefined} data-copy={text} hidden>
            <Icon name="copy" />
            Copy text for distributor
          </button>
        )}
        {STATUSES.filter(([other]) => other !== status).map(([other, label, icon]) => (
          <ActionButton action={action} fields={{ change: id, status: other }}>
            <Icon name={icon} />
            {label}
          </ActionButton>
        ))}
        {isOpen && text !== undefined && <p class="hint">“Expected” means that you wanted this change.</p>}
        {platformUrl !== null && (
          <LinkButton href={platformUrl} rel="noreferrer" icon="external-link" label={`Open on ${platformName}`} />
        )}
        <PrintButton />
        <dl class="facts">
          <div>
            <dt>Status</dt>
            <dd>
              <StateBadge state={status} />
              {statusAt !== null && (
                <p class="soft">
                  by <bdi>{statusBy}</bdi>, <Instant at={statusAt} />
                </p>
              )}
            </dd>
          </div>
          <div>
            <dt>
              <label for="assignee-field">Assignee</label>
            </dt>
            <dd>
              <form method="post" action={action} class="row">
                <input type="hidden" name="change" value={id} />
                <select name="assignee" id="assignee-field">
                  <option value="">Unassigned</option>
                  {members.map(({ email }) => (
                    <option value={email} selected={email === assignee}>
                      {email}
                    </option>
                  ))}
                </select>
                <button type="submit">Assign</button>
              </form>
            </dd>
          </div>
          <div>
            <dt>Note</dt>
            <dd>
              {note !== null && (
                <p class="note" dir="auto">
                  {note}
                </p>
              )}
              <details>
                <summary>{note === null ? 'Add a note' : 'Edit the note'}</summary>
                <form method="post" action={action} class="stack">
                  <input type="hidden" name="change" value={id} />
                  <textarea name="note" rows={3} maxlength={MAX_NOTE_CHARS} aria-label="Note">
                    {note ?? ''}
                  </textarea>
                  <button type="submit">Save note</button>
                </form>
              </details>
            </dd>
          </div>
        </dl>
      </div>
    </section>
  );
}

const STATUSES: ReadonlyArray<readonly [status: ChangeStatus, label: string, icon: IconName]> = [
  ['open', 'Reopen', 'circle-dot'],
  ['handled', 'Mark as handled', 'check'],
  ['expected', 'Mark as expected', 'circle-minus'],
];

export function PrintButton(): VNode {
  return (
    <button type="button" data-print hidden>
      <Icon name="printer" />
      Print
    </button>
  );
}
