import { PLANS } from '@artist-watch/domain/account/plans';
import { changeTitle } from '@artist-watch/domain/channel/change-message';
import { CHAT_TITLES, destinationLimit, isChat } from '@artist-watch/domain/channel/destination-kind';
import type { GroupRecord } from '@artist-watch/persistence/account/groups';
import type { ArtistName } from '@artist-watch/persistence/artist/artist-reads';
import type { DestinationRecord, RulesPreview as Preview } from '@artist-watch/persistence/destination/reads';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { fieldsOf, optionsOf, Select, TextField } from '../../views/form.js';
import { SeverityBadge } from '../../views/icon.js';
import { Instant } from '../../views/instant.js';
import { PageHead, Section } from '../../views/page-head.js';
import { RulesFields, type TypedRules } from '../../views/rules-fields.js';
import { Alert } from '../../views/states.js';
import { destinationTitle, numberText, ofText } from '../../views/text.js';

type TextName = 'name' | 'kind' | 'url' | 'secret';

export type TypedDestination = Readonly<Record<TextName, string>> & TypedRules;

export type DestinationField = keyof TypedDestination;

export interface DestinationFormProps extends Pick<Visit, 'link' | 'account'> {
  readonly destination: DestinationRecord | undefined;
  readonly draft: string | undefined;
  readonly typed: TypedDestination;
  readonly errors: Partial<Record<DestinationField, string>>;
  readonly problem: string | undefined;
  readonly artists: readonly ArtistName[];
  readonly groups: readonly GroupRecord[];
  readonly preview: Preview;
}

export function destinationFormView(props: DestinationFormProps): VNode {
  const { account, link, destination, draft, typed, errors, problem, preview } = props;
  const own = destination && `/destinations/${destination.id}`;
  const kinds = (['webhook', 'slack', 'discord'] as const).filter(
    (kind) => destinationLimit(kind, PLANS[account.plan]) > 0,
  );
  const crumbs = [
    { label: 'Channels', href: link('/destinations') },
    ...(destination && own ? [{ label: destinationTitle(destination), href: link(own) }] : []),
  ];
  const field = fieldsOf<TextName>(typed, errors);
  const previewed = link(own ? `${own}/preview` : '/destinations/preview');
  return (
    <>
      <PageHead title={destination ? 'Edit channel' : 'New channel'} crumbs={crumbs} />
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      {Object.keys(errors).length > 0 && <Alert tone="bad" title="Correct the marked fields first" />}
      <form class="form wide" method="post" action={link(own ? `${own}/edit` : '/destinations/new')}>
        {draft !== undefined && <input type="hidden" name="draft" value={draft} />}
        <div class="columns">
          <div class="stack">
            <Section title="Channel">
              <div class="stack">
                {!destination && <Select {...field('kind', 'Kind')} options={optionsOf(kinds, changeTitle)} />}
                <AddressField {...props} />
                {(!destination || isChat(destination.kind)) && <ChannelAddresses />}
                <TextField {...field('name', 'Name')} hint="Optional. Shown in lists and emails." maxLength={100} />
                {!destination && (
                  <Select
                    {...field('secret', 'Signing secret')}
                    hint="For webhooks only. Your receiver uses it to verify that a request is from us. We show it only once."
                    options={{ generate: 'Create one for me', none: "None: requests aren't signed" }}
                  />
                )}
              </div>
            </Section>
            <Section title="Rules">
              <div
                class="stack"
                data-hx-post={previewed}
                data-hx-trigger="change delay:300ms"
                data-hx-target="#rules-preview"
                data-hx-swap="outerHTML"
              >
                <RulesFields {...props} what="are sent" />
              </div>
            </Section>
            <div class="row">
              <button type="submit" class="primary">
                {destination ? 'Save' : 'Create channel'}
              </button>
              <button type="submit" formaction={previewed} formnovalidate>
                Preview
              </button>
              <a href={link(own ?? '/destinations')}>Cancel</a>
            </div>
          </div>
          <Section title="Matching changes">
            <RulesPreview preview={preview} />
          </Section>
        </div>
      </form>
    </>
  );
}

function AddressField({ destination, typed, errors }: DestinationFormProps): VNode {
  const isKept = destination !== undefined && isChat(destination.kind);
  const hint = isKept
    ? `The URL is hidden, because it contains a secret. Leave the field empty to keep ${destination.url}.`
    : `An https URL on the public internet. For ${CHAT_TITLES.slack} and ${CHAT_TITLES.discord}, the URL of an incoming webhook.`;
  return (
    <TextField
      {...fieldsOf<TextName>(typed, errors)('url', 'URL')}
      hint={hint}
      placeholder="https://"
      required={!isKept}
      maxLength={2_048}
    />
  );
}

/**
 * The labels come from https://api.slack.com/messaging/webhooks, and the permission's name from
 * https://docs.discord.com/developers/resources/webhook.
 */
function ChannelAddresses(): VNode {
  return (
    <details class="prose">
      <summary>How to get a webhook URL from Slack or Discord</summary>
      <ul>
        <li>
          {CHAT_TITLES.slack}: create an app at{' '}
          <a href="https://api.slack.com/apps" rel="noreferrer">
            api.slack.com/apps
          </a>{' '}
          for your workspace, and activate “Incoming Webhooks” in its settings. Then choose “Add New Webhook to
          Workspace”, pick the channel, and copy the URL. An administrator may have to approve the app.
        </li>
        <li>
          {CHAT_TITLES.discord}: open “Edit Channel”, then “Integrations” and “Webhooks”. Choose “New Webhook”, then
          “Copy Webhook URL”. You need the permission “Manage Webhooks”.
        </li>
      </ul>
    </details>
  );
}

const RULE_WORDS = { min_severity: 'severity', change_types: 'type', artist_ids: 'artist' } as const;

export function RulesPreview({ preview }: { preview: Preview }): VNode {
  const { days, matching, others } = preview;
  const all = matching.count + others.count;
  const kept = (Object.keys(RULE_WORDS) as (keyof typeof RULE_WORDS)[]).filter((rule) => others.byRule[rule] > 0);
  const sum = kept.reduce((total, rule) => total + others.byRule[rule], 0);
  return (
    <div id="rules-preview" class="stack" aria-live="polite">
      {all === 0 ? (
        <p>No changes in the last {days} days.</p>
      ) : (
        <p>
          <strong>{ofText(matching.count, all)}</strong> changes in the last {days} days match. Each is sent separately,
          even if the overview lists several of them in one row.
        </p>
      )}
      {kept.length > 0 && (
        <p class="soft">
          {numberText(others.count)} don't match
          {kept.length === 1
            ? ` the ${RULE_WORDS[kept[0] as (typeof kept)[number]]}`
            : `: ${kept.map((rule) => `${numberText(others.byRule[rule])} because of the ${RULE_WORDS[rule]}`).join(', ')}`}
          .{sum > others.count && ' Some have more than one reason.'}
        </p>
      )}
      {matching.newest.length > 0 && (
        <ul class="stack">
          {matching.newest.map(({ severity, artistName, summary, confirmedAt }) => (
            <li>
              <SeverityBadge severity={severity} />{' '}
              {!summary.includes(artistName) && (
                <>
                  <bdi>{artistName}</bdi>:{' '}
                </>
              )}
              <span dir="ltr">{summary}</span>{' '}
              <span class="soft">
                <Instant at={confirmedAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
