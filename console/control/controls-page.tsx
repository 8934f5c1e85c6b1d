import { useAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Filters, SelectFilter } from '../parts/table/filters.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { newControl } from './forms.ts';
import { controlListSentence } from './model/controls.ts';
import { type controlsRoute, readControls } from './routes.ts';

/** The catalogue of controls. */
export default function ControlsPage({ params, search }: PageProps<typeof controlsRoute>) {
  const { org } = params;
  const answer = useAnswer(readControls(org, search));
  const { controls, page, per_page, total_count: total, total_pages: page_count } = answer;
  const { q, tag, archived } = search;
  const isFiltered = q !== undefined || tag !== undefined || archived !== undefined;
  return (
    <>
      <VerdictLine
        subject="Controls"
        context={org}
        sentence={controlListSentence(total, isFiltered)}
        actions={<Writes org={org} writes={[newControl(org)]} />}
      />
      <Filters label="Filter the controls">
        <TextFilter label="Name or identifier" value={q ?? ''} />
        <SelectFilter label="Show" name="archived" value={archived} all="in force" options={[['true', 'archived']]} />
      </Filters>
      {controls.length === 0 ? (
        isFiltered ? (
          <Empty sentence="No control fits the filter." />
        ) : (
          <Empty
            sentence="A control is a rule of the organization, such as «every change is reviewed»."
            remedy="Decisions name the control that they are about, and policies can ask for them."
            commands={[
              {
                what: 'curl',
                text: `curl -X POST ${location.origin}/api/v2/controls/${org} \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"identifier":"RCTL-1","name":"Every change is reviewed"}'`,
              },
            ]}
          />
        )
      ) : (
        <Table
          caption="Controls"
          rows={controls}
          keyOf={({ identifier }) => identifier}
          isUnreadable={({ version }) => version === 0}
          columns={[
            {
              head: 'Control',
              fit: true,
              cell: ({ identifier }) => (
                <PageLink page="control" params={{ org, control: identifier }} strong row>
                  <Text>{identifier}</Text>
                </PageLink>
              ),
            },
            {
              head: 'Name',
              serverSort: { by: 'name', begins: 'ascending', isUsual: true },
              cell: ({ name }) => <Text>{name}</Text>,
            },
            { head: 'Description', wide: true, cell: ({ description }) => <Text>{description ?? '–'}</Text> },
            {
              head: 'Tags',
              cell: ({ tags }) => (
                <Text>
                  {Object.entries(tags)
                    .map(([key, value]) => `${key}: ${value}`)
                    .join(', ') || '–'}
                </Text>
              ),
            },
            {
              head: 'Version',
              fit: true,
              align: 'end',
              cell: ({ identifier, version }) => (
                <PageLink page="control-versions" params={{ org, control: identifier }}>
                  {version}
                </PageLink>
              ),
            },
            { head: 'Created', fit: true, cell: ({ created_at: at }) => <Time at={at} /> },
          ]}
        />
      )}
      <Pager pagination={{ page, per_page, total, page_count }} page="controls" params={params} search={search} />
      <Raw value={answer} path={`/controls/${org}?per_page=50`} />
    </>
  );
}
