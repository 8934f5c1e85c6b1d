import { useLiveAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Filters, SelectFilter } from '../parts/table/filters.tsx';
import { Steps } from '../parts/table/steps.tsx';
import { Table } from '../parts/table/table.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { newType } from './forms.ts';
import { typeListSentence } from './model/types.ts';
import { readTypes, TYPES_PER_PAGE, type typesRoute } from './routes.ts';

/** The custom types of attestations. */
export default function TypesPage({ params, search }: PageProps<typeof typesRoute>) {
  const { org } = params;
  const { q, archived, page = 1 } = search;
  const types = useLiveAnswer(readTypes(org, search), 60);
  const isFiltered = q !== undefined || archived !== undefined;
  return (
    <>
      <VerdictLine
        subject="Attestation types"
        context={org}
        sentence={typeListSentence(types.length, isFiltered)}
        actions={<Writes org={org} writes={[newType(org)]} />}
        description="A custom type says which data an attestation must have, and which rules decide whether it is compliant."
      />
      {(types.length > 0 || isFiltered) && (
        <Filters label="Filter the types">
          <TextFilter label="Name" value={q ?? ''} />
          <SelectFilter
            label="Show"
            name="archived"
            value={archived}
            all="not archived"
            options={[['with', 'archived, too']]}
          />
        </Filters>
      )}
      {types.length === 0 ? (
        <Nothing org={org} isFiltered={isFiltered} />
      ) : (
        <Table
          caption="Attestation types, by name"
          rows={types}
          keyOf={({ name }) => name}
          isUnreadable={({ unreadable }) => unreadable === true}
          columns={[
            {
              head: 'Type',
              cell: ({ name }) => (
                <PageLink page="type" params={{ org, type: name }} strong row>
                  <Text>{name}</Text>
                </PageLink>
              ),
            },
            { head: 'About', wide: true, cell: ({ description }) => <Text>{description ?? ''}</Text> },
            {
              head: 'Version',
              fit: true,
              align: 'end',
              cell: ({ versions, archived: isArchived }) =>
                `${versions[0]?.version ?? '–'}${isArchived ? ', archived' : ''}`,
            },
            {
              head: 'Attestations',
              fit: true,
              cell: ({ name }) => (
                <PageLink page="attestations" params={{ org }} search={{ type: `custom:${name}` }}>
                  show
                </PageLink>
              ),
            },
            { head: 'Changed', fit: true, cell: ({ last_modified_at: at }) => <Time at={at} show="ago" /> },
          ]}
        />
      )}
      <Steps
        page="types"
        params={params}
        newerLabel="Back"
        newer={page > 1 ? { ...search, page: page === 2 ? undefined : page - 1 } : null}
        older={types.length === TYPES_PER_PAGE ? { ...search, page: page + 1 } : null}
      />
      <Raw value={types} path={`/custom-attestation-types/${org}`} />
    </>
  );
}

const Nothing = ({ org, isFiltered }: { org: string; isFiltered: boolean }) =>
  isFiltered ? (
    <Empty sentence="No type fits the filter." />
  ) : (
    <Empty
      sentence="Built-in types (generic, junit, snyk, sonar, pull_request, jira, decision) need no definition."
      remedy="A type of your own checks the data that its attestations carry."
      commands={[
        {
          what: 'Command-line client',
          text: `kosli create attestation-type NAME --schema FILE --jq '.passed == true' --org ${org} --host ${location.origin} --api-token "$KEY"`,
        },
      ]}
    />
  );
