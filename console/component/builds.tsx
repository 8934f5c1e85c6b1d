import { versionsText } from '../model/component-question.ts';
import { count } from '../model/words.ts';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { LongTable } from '../parts/table/long-table.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { Answer, Progress } from './answer.tsx';
import { AskForm } from './ask-form.tsx';
import { ComponentTabs, type QuestionProps, rawPath } from './component-tabs.tsx';
import { asOfBuilds, type Build, buildsOf, type ComponentsPage } from './operations.ts';
import { readBuilds } from './routes.ts';
import { ArtifactLink, SbomLink, Versions } from './sbom-cells.tsx';
import { type Pages, usePages } from './use-pages.ts';

/** Which builds hold a component, whether they run or not. */
export function BuildsAnswer({ org, question }: QuestionProps) {
  const answer = usePages((cursor) => readBuilds(org, question, cursor));
  return (
    <Answer org={org} search={{ ...question, tab: 'builds' }} subject={question.purl} answer={answer}>
      {(pages) => <Result org={org} question={question} answer={answer} pages={pages} />}
    </Answer>
  );
}

interface ResultProps extends QuestionProps {
  answer: Pages<ComponentsPage>;
  pages: readonly ComponentsPage[];
}

function Result({ org, question, answer, pages }: ResultProps) {
  const [first] = pages;
  const builds = pages.flatMap(buildsOf);
  const versions = versionsText(question.versions);
  const rest = answer.isComplete ? '' : ' The answer is not complete yet.';
  return (
    <>
      <VerdictLine
        kind="Component"
        subject={question.purl}
        context={org}
        sentence={`${count(builds.length, 'SBOM')} that ${builds.length === 1 ? 'counts lists' : 'count list'} it.${rest}`}
        facts={[
          ...(versions === null ? [] : [<Text key="versions">{versions}</Text>]),
          <span key="at">
            as of <Time at={first && asOfBuilds(first)} show="full" zone="utc" />
          </span>,
        ]}
      />
      <AskForm org={org} search={{ ...question, tab: 'builds' }} />
      <ComponentTabs org={org} question={question} isBuilds />
      <Progress answer={answer} what="builds" />
      {builds.length === 0 ? (
        <Empty
          sentence="No SBOM that counts lists a version that is asked about."
          remedy="Packages are found by their names in the search. An SBOM that was reported a moment ago is read within seconds."
        />
      ) : (
        <Panel title="Builds" note="SBOMs that list it, and the artifacts that they are about">
          <BuildTable org={org} builds={builds} />
        </Panel>
      )}
      <Raw value={first} path={rawPath(`/components/${org}`, question)} />
    </>
  );
}

const BuildTable = ({ org, builds }: { org: string; builds: readonly Build[] }) => (
  <LongTable
    caption="SBOMs that list the component"
    rows={builds}
    keyOf={({ attestation_id: id }) => id}
    columns={[
      { head: 'SBOM', width: '36%', cell: (build) => <SbomLink org={org} sbom={build} /> },
      { head: 'Version', width: '26%', cell: ({ components }) => <Versions held={components} /> },
      {
        head: 'Artifacts',
        width: '38%',
        cell: ({ artifacts, flow_name: flow }) =>
          artifacts.length === 0
            ? 'its trail has no artifact that it is about'
            : artifacts.map((artifact) => (
                <div key={artifact.fingerprint}>
                  <ArtifactLink org={org} flow={flow} artifact={artifact} />
                </div>
              )),
      },
    ]}
  />
);
