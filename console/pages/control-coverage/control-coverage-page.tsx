import { useAnswer } from '../../client/live.ts';
import { Empty } from '../../parts/empty.tsx';
import { Filters, SelectFilter } from '../../parts/filters.tsx';
import { PageLink } from '../../parts/link.tsx';
import { PolicyLinks } from '../../parts/name-links.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Raw } from '../../parts/raw.tsx';
import { State } from '../../parts/state.tsx';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { TextFilter } from '../../parts/text-filter.tsx';
import { ControlHead } from '../control/control-head.tsx';
import { CoverageBar } from '../control/coverage-bar.tsx';
import { readCoverage } from '../control/reads.ts';
import type { PageProps } from '../route.ts';
import type { controlCoverageRoute } from './route.ts';

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
