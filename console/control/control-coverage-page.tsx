import { useAnswer } from '../client/live.ts';
import { PageLink } from '../parts/link/link.tsx';
import { PolicyLinks } from '../parts/link/name-links.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { Filters, SelectFilter } from '../parts/table/filters.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import { ControlHead } from './control-head.tsx';
import { CoverageBar } from './coverage-bar.tsx';
import { readCoverage } from './reads.ts';
import type { controlCoverageRoute } from './routes.ts';

type Props = PageProps<typeof controlCoverageRoute>;

/** The environments, and whether the control covers each. */
export default function ControlCoveragePage({ params, search }: Props) {
  return (
    <>
      <ControlHead params={params} current="control-coverage" />
      <Panel title="Environments" note="covered: an attached policy asks for the control" rows={6}>
        <Filters label="Filter the environments">
          <TextFilter label="Name" value={search.q ?? ''} />
          <SelectFilter
            label="Show"
            name="covered"
            value={search.covered}
            options={[
              ['true', 'covered'],
              ['false', 'not covered'],
            ]}
          />
        </Filters>
        <List params={params} search={search} />
      </Panel>
    </>
  );
}

function List({ params, search }: Props) {
  const { org } = params;
  const answer = useAnswer(readCoverage(params, search));
  const { environments, page, per_page, total_count: total, total_pages: page_count } = answer;
  return (
    <>
      {search.covered === undefined && search.q === undefined && <CoverageBar params={params} coverage={answer} />}
      {environments.length === 0 ? (
        <Empty sentence="No environment fits the filter." />
      ) : (
        <Table
          caption="Environments and coverage"
          rows={environments}
          keyOf={({ name }) => name}
          columns={[
            {
              head: 'Environment',
              cell: ({ name }) => (
                <PageLink page="environment" params={{ org, env: name }} strong row>
                  <Text>{name}</Text>
                </PageLink>
              ),
            },
            { head: 'Type', fit: true, cell: ({ type }) => type },
            {
              head: 'Covered',
              fit: true,
              cell: ({ covered }) => (
                <State state={covered ? 'compliant' : 'missing'}>{covered ? 'covered' : 'not covered'}</State>
              ),
            },
            {
              head: 'By policies',
              cell: ({ policies }) => (policies.length === 0 ? '–' : <PolicyLinks org={org} policies={policies} />),
            },
          ]}
        />
      )}
      <Pager
        pagination={{ page, per_page, total, page_count }}
        page="control-coverage"
        params={params}
        search={search}
      />
      <Raw value={answer} path={`/controls/${org}/${params.control}/coverage`} />
    </>
  );
}
