import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { Form, TextArea, TextField } from '../../views/form.js';
import { currentReader } from '../../views/markup.js';
import { Meter, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty, Upgrade } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { numberText } from '../../views/text.js';
import type { readPlaces, searchByName } from './query.js';

interface AddProps extends Pick<Visit, 'link'> {
  readonly places: Awaited<ReturnType<typeof readPlaces>>;
  readonly name: string;
  readonly found: Awaited<ReturnType<typeof searchByName>>['found'];
  readonly problem: string | undefined;
  readonly text: string;
  readonly error: string | undefined;
  readonly example: string;
}

export function addView(props: AddProps): VNode {
  const { link, places, text, error, example } = props;
  const isFull = places.used >= places.limit;
  const { platformName } = currentReader();
  return (
    <>
      <PageHead title="Add artists" crumbs={[{ label: 'Artists', href: link('/artists') }]} />
      {isFull && (
        <Alert tone="warn" title="You've reached your plan's artist limit">
          <p>To add another artist, stop watching one first.</p>
          <Upgrade label="Upgrade your plan" />
        </Alert>
      )}
      <SearchByName {...props} />
      <Section title="Add many artists">
        <Meter label="Artists watched" value={places.used} max={places.limit} />
        <Form action={link('/artists/add')} button="Add" look="primary">
          <TextArea
            name="artists"
            label="Artists"
            hint={`One per line, up to 500: a name, an artist ID or a ${platformName} link. If a name fits several artists, you can choose one.`}
            placeholder={example}
            rows={12}
            value={text}
            error={error}
            required
          />
        </Form>
      </Section>
    </>
  );
}

function SearchByName({ link, name, found, problem }: AddProps): VNode {
  const { platformName } = currentReader();
  return (
    <Section title="Search by name">
      <Form action={link('/artists/find')} button={`Search ${platformName}`}>
        <TextField
          name="q"
          label="Artist name"
          hint="Each search counts toward your plan's daily limit, as do searches through the API."
          type="search"
          value={name}
          maxLength={100}
          required
        />
      </Form>
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      {name !== '' && problem === undefined && found.length === 0 && (
        <Empty title={`No artist found on ${platformName}`} icon="search" />
      )}
      {found.length > 0 && (
        <Table
          caption={`Artists on ${platformName}`}
          rows={found}
          href={({ url }) => url}
          columns={[
            { label: 'Artist', cell: (artist) => <bdi>{artist.name}</bdi> },
            { label: 'Followers', numeric: true, cell: ({ followers = null }) => numberText(followers) },
            {
              label: 'Watch',
              cell: ({ artistId, platformId, name: called }) =>
                artistId === undefined ? (
                  <ActionButton action={link('/artists/add')} fields={{ artists: platformId }}>
                    Watch <span class="unseen">{called}</span>
                  </ActionButton>
                ) : (
                  <a href={link(`/artists/${artistId}`)}>Already watched</a>
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}
