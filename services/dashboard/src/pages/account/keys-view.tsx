import { OPERATOR } from '@artist-watch/domain/account/actor';
import type { ApiKeyRecord } from '@artist-watch/persistence/account/api-keys';
import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ShownOnce } from '../../views/copyable.js';
import { Pager, type Pages } from '../../views/filters.js';
import { Confirmation, Form, Select, TextField } from '../../views/form.js';
import { Instant } from '../../views/instant.js';
import { PageHead, Section } from '../../views/page-head.js';
import { Empty } from '../../views/states.js';
import { type Column, Table } from '../../views/table.js';

export interface KeyDraft {
  readonly name: string;
  readonly scopes: 'read' | 'manage';
  readonly days: '' | '30' | '90' | '365';
}

interface KeysProps extends Pick<Visit, 'link'>, Pages {
  readonly isOwner: boolean;
  readonly revoked: boolean;
  readonly keys: readonly ApiKeyRecord[];
  readonly valid: number;
  readonly limit: number;
  readonly refused: { readonly draft: KeyDraft; readonly text: string } | undefined;
  readonly draft: string;
}

export function keysView(props: KeysProps): VNode {
  const { link, revoked, keys, valid, first, next, limit, isOwner } = props;
  return (
    <>
      <PageHead title="API keys">
        <p>Programs use a key to access the API for your account.</p>
      </PageHead>
      <Section
        title={revoked ? 'Revoked keys' : `Valid keys: ${valid} of ${limit}`}
        actions={
          revoked ? <a href={link('/keys')}>Valid keys</a> : <a href={link('/keys?show=revoked')}>Revoked keys</a>
        }
      >
        <Table
          empty={<Empty title={revoked ? 'No revoked keys' : 'No API keys yet'} icon="key-round" />}
          caption={revoked ? 'Revoked keys' : 'Valid keys'}
          rows={keys}
          columns={columnsOf(props)}
          below={byWhom}
        />
        <Pager {...{ first, next }} />
      </Section>
      {isOwner && !revoked && <CreateForm {...props} />}
    </>
  );
}

function byWhom({ createdBy }: ApiKeyRecord): VNode {
  const name = createdBy === OPERATOR.name ? 'Artist Watch' : createdBy;
  return <p class="soft">{name === null ? 'Creator unknown' : `Created by ${name}`}</p>;
}

function columnsOf({ link, revoked, isOwner }: KeysProps): Array<Column<ApiKeyRecord>> {
  const instant = (at: Date | null, none: string) => (at === null ? none : <Instant at={at} />);
  const columns: Array<Column<ApiKeyRecord>> = [
    { label: 'Name', cell: ({ name }) => name ?? 'Unnamed' },
    { label: 'Begins with', priority: 2, cell: ({ hint }) => <code>{hint}…</code> },
    { label: 'Scope', cell: ({ scopes }) => (scopes.includes('manage') ? 'Read and manage' : 'Read') },
    { label: 'Last used', cell: ({ lastUsedAt }) => instant(lastUsedAt, 'Never') },
    { label: 'Created', priority: 3, cell: ({ createdAt }) => <Instant at={createdAt} /> },
    { label: 'Expires', priority: 3, cell: ({ expiresAt }) => instant(expiresAt, 'Never') },
  ];
  if (revoked) columns.push({ label: 'Revoked', cell: ({ revokedAt }) => instant(revokedAt, '') });
  else if (isOwner)
    columns.push({
      label: 'Revoke',
      isAction: true,
      cell: ({ id, name, hint }) => (
        <Confirmation
          action={link(`/keys/${id}/revoke`)}
          label="Revoke"
          unseen={` ${name ?? hint}`}
          look="danger"
          question="Programs that use this key stop working within a second. You can't undo this."
        />
      ),
    });
  return columns;
}

function CreateForm({ link, refused, draft, valid, limit }: KeysProps): VNode {
  const { name, scopes, days } = refused?.draft ?? { name: '', scopes: 'read', days: '' };
  return (
    <Section title="New API key">
      {valid >= limit && <p>You've reached your plan's API key limit. Revoke a key first.</p>}
      <Form action={link('/keys/create')} button="Create key" look="primary" draft={draft}>
        <TextField
          name="name"
          label="Name"
          value={name}
          required
          maxLength={200}
          autocomplete="off"
          error={refused?.text}
          hint="Describe what the key is for. The name appears in lists and in the audit log."
        />
        <Select
          name="scopes"
          label="Scope"
          value={scopes}
          hint="Read: artists, changes, channels, deliveries and usage. Manage: also add, change and remove them."
          options={{ read: 'Read', manage: 'Read and manage' }}
        />
        <Select
          name="days"
          label="Expires"
          value={days}
          hint="Owners get an email a week before a key expires."
          options={{ '': 'Never', 30: 'In 30 days', 90: 'In 90 days', 365: 'In a year' }}
        />
      </Form>
    </Section>
  );
}

export function createdView({ link, name, key }: Pick<Visit, 'link'> & Record<'name' | 'key', string>): VNode {
  const page = { title: 'API key created', copyLabel: 'Copy the key' };
  return (
    <ShownOnce {...page} crumbs={[{ label: 'API keys', href: link('/keys') }]} name={name} secret={key}>
      We keep no copy. Anyone with the key can use it, so keep it in a secret store, not in code or emails.
    </ShownOnce>
  );
}
