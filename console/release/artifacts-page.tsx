import { useQuery } from '@tanstack/react-query';
import { useLiveAnswer } from '../client/live.ts';
import { allOf } from '../model/pages.ts';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Filters } from '../parts/table/filters.tsx';
import { Steps } from '../parts/table/steps.tsx';
import { Table } from '../parts/table/table.tsx';
import { TextFilter } from '../parts/table/text-filter.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import { artifactColumns } from './artifact-cells.tsx';
import { artifactListSentence } from './model/artifact-list.ts';
import type { Artifact } from './operations.ts';
import { ARTIFACTS_PER_PAGE, type artifactsRoute, readArtifacts, readFlowNames } from './routes.ts';

/** What was built: reports of artifacts, the newest first. */
export default function ArtifactsPage({ params, search }: PageProps<typeof artifactsRoute>) {
  const { org } = params;
  const { flow, repo, page = 1 } = search;
  const artifacts = useLiveAnswer(readArtifacts(org, search), 30);
  const flows = useQuery(readFlowNames(org)).data;
  const isFiltered = flow !== undefined || repo !== undefined;
  return (
    <>
      <VerdictLine
        subject="Artifacts"
        context={org}
        sentence={<Text>{artifactListSentence(artifacts, { isFiltered, page })}</Text>}
      />
      <Filters label="Filter the artifacts">
        <TextFilter
          label="Flow"
          name="flow"
          value={flow ?? ''}
          suggestions={flows ? allOf(flows, 'data').map(({ name }) => name) : []}
        />
        <TextFilter label="Repository" name="repo" value={repo ?? ''} />
      </Filters>
      {artifacts.length === 0 ? (
        <Nothing org={org} isFiltered={isFiltered} />
      ) : (
        <Rows org={org} artifacts={artifacts} />
      )}
      <Steps
        page="artifacts"
        params={params}
        newer={page > 1 ? { ...search, page: page === 2 ? undefined : page - 1 } : null}
        older={artifacts.length === ARTIFACTS_PER_PAGE ? { ...search, page: page + 1 } : null}
      />
      <Raw value={artifacts} path={`/artifacts/${org}?per_page=${ARTIFACTS_PER_PAGE}`} />
    </>
  );
}

function Rows({ org, artifacts }: { org: string; artifacts: readonly Artifact[] }) {
  const { artifact, state, trail, commit, runsIn, reported } = artifactColumns(org);
  return (
    <Table
      caption="Artifacts, the newest first"
      rows={artifacts}
      keyOf={({ artifact_id: id }) => id}
      columns={[artifact, state, trail, commit, runsIn, reported]}
    />
  );
}

const Nothing = ({ org, isFiltered }: { org: string; isFiltered: boolean }) =>
  isFiltered ? (
    <Empty sentence="No artifact fits the filter." />
  ) : (
    <Empty
      sentence="A pipeline reports what it builds, by its digest, to a trail of a flow."
      commands={[
        {
          what: 'Command-line client',
          text: `kosli attest artifact FILE --artifact-type file --name NAME --flow FLOW --trail TRAIL \\\n  --build-url URL --commit-url URL --commit COMMIT --org ${org} --host ${location.origin} --api-token "$KEY"`,
        },
      ]}
    />
  );
