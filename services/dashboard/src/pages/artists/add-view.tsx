import type { VNode } from 'preact';
import type { Visit } from '../../application/page.js';
import { ActionButton } from '../../views/action.js';
import { Form, TextArea, TextField } from '../../views/form.js';
import { Meter, PageHead, Section } from '../../views/page-head.js';
import { Alert, Empty } from '../../views/states.js';
import { Table } from '../../views/table.js';
import { numberText } from '../../views/text.js';
import type { readPlaces, searchByName } from './query.js';

interface AddProps extends Pick<Visit, 'link'> {
  readonly places: Awaited<ReturnType<typeof readPlaces>>;
  /** What was searched for. */
  readonly name: string;
  readonly found: Awaited<ReturnType<typeof searchByName>>['found'];
  /** Why the platform was not asked. */
  readonly problem: string | undefined;
  /** What was pasted. */
  readonly text: string;
  readonly error: string | undefined;
  /** An address of the platform in use. */
  readonly example: string;
}

export function addView(props: AddProps): VNode {
  const { link, places, text, error, example } = props;
  const isFull = places.used >= places.limit;
  return (
    <>
      <PageHead title="Add artists" crumbs={[{ label: 'Artists', href: link('/artists') }]} />
      {isFull && (
        <Alert tone="warn" title="All artists of the plan are taken">
          <p>Stop watching an artist first. Lines of artists that are watched already change nothing.</p>
        </Alert>
      )}
      <SearchByName {...props} />
      <Section title="Links, ids or names">
        <Meter label="Artists of the plan" value={places.used} max={places.limit} />
        <Form action={link('/artists/add')} button="Add" look="primary">
          <TextArea
            name="artists"
            label="Artists"
            hint="One a line, 500 at most: the address of the artist's page on the platform, a link shared from its app, its id there, or its name. Names and shared links are looked up on the platform."
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
  return (
    <Section title="By name">
      <Form action={link('/artists/find')} button="Search the platform">
        <TextField
          name="q"
          label="Name of the artist"
          hint="Each search counts among those that the plan allows a day, with those over the API."
          type="search"
          value={name}
          maxLength={100}
          required
        />
      </Form>
      {problem !== undefined && <Alert tone="bad" title={problem} />}
      {name !== '' && problem === undefined && found.length === 0 && (
        <Empty title="The platform finds nobody by this name" icon="search" />
      )}
      {found.length > 0 && (
        <Table
          caption="Artists of the platform"
          rows={found}
          columns={[
            {
              label: 'Artist',
              cell: (artist) => (
                <a href={artist.url} rel="noreferrer">
                  <bdi>{artist.name}</bdi>
                </a>
              ),
            },
            {
              label: 'Followers',
              numeric: true,
              cell: ({ followers }) => (followers === undefined ? '–' : numberText(followers)),
            },
            {
              label: 'Watch',
              cell: ({ artistId, platformId, name: called }) =>
                artistId === undefined ? (
                  <ActionButton action={link('/artists/add')} fields={{ artists: platformId }}>
                    Watch <span class="unseen">{called}</span>
                  </ActionButton>
                ) : (
                  <a href={link(`/artists/${artistId}`)}>Watched already</a>
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}
