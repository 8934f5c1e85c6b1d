import { versionsText } from '../model/component-question.ts';
import { Button } from '../parts/control/button.tsx';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { Answer, Progress } from './answer.tsx';
import { AskForm } from './ask-form.tsx';
import { ComponentTabs, type QuestionProps, rawPath } from './component-tabs.tsx';
import { HeldTable } from './held-table.tsx';
import { exposureSentence, exposureState, type Found, foundIn } from './model/exposure.ts';
import type { Exposure } from './operations.ts';
import { RecalledTable, UnknownTable } from './other-tables.tsx';
import { Picture } from './picture.tsx';
import { readExposure } from './routes.ts';
import { type Pages, usePages } from './use-pages.ts';
import { newWatch } from './watch/forms.ts';

/** Where a component runs and ran, and what nobody knows. */
export function ExposureAnswer({ org, question }: QuestionProps) {
  const answer = usePages((cursor) => readExposure(org, question, cursor));
  return (
    <Answer org={org} search={question} subject={question.purl} answer={answer}>
      {(pages) => <Result org={org} question={question} answer={answer} pages={pages} />}
    </Answer>
  );
}

interface ResultProps extends QuestionProps {
  answer: Pages<Exposure>;
  pages: readonly Exposure[];
}

function Result({ org, question, answer, pages }: ResultProps) {
  const [first] = pages;
  const found = foundIn(pages);
  const asked = { isComplete: answer.isComplete, isPast: question.at !== undefined };
  const asOf = first?.question.as_of ?? 0;
  const versions = versionsText(question.versions);
  return (
    <>
      <VerdictLine
        kind="Component"
        subject={question.purl}
        context={org}
        state={exposureState(found, asked)}
        sentence={<Text>{exposureSentence(found, asked)}</Text>}
        facts={[
          ...(versions === null ? [] : [<Text key="versions">{versions}</Text>]),
          <span key="at">
            as of <Time at={asOf} show="full" zone="utc" />
          </span>,
        ]}
        actions={
          <>
            <Writes org={org} writes={[newWatch(org, question)]} />
            <Button onClick={() => print()}>Print</Button>
          </>
        }
      />
      <AskForm org={org} search={question} />
      <ComponentTabs org={org} question={question} />
      <Progress answer={answer} what="the answer" />
      <Rows org={org} found={found} asOf={asOf} isComplete={asked.isComplete} />
      <Raw value={first} path={rawPath(`/components/${org}/exposure`, question)} />
    </>
  );
}

interface RowsProps {
  org: string;
  found: Found;
  asOf: number;
  isComplete: boolean;
}

function Rows({ org, found, asOf, isComplete }: RowsProps) {
  const { affected, cleared, undecided, recalled, notKnown } = found;
  const isEmpty = affected.length + cleared.length + undecided.length + recalled.length + notKnown.length === 0;
  if (isEmpty && isComplete) {
    return (
      <Empty
        sentence="No SBOM that counts lists it, and everything that ran has an SBOM that could be read."
        remedy="Look at the spelling of the package URL: packages are found by their names in the search."
      />
    );
  }
  return (
    <>
      {[...affected, ...cleared, ...undecided].some(({ environments }) => environments.length > 0) && (
        <Panel title="Environments over time" note="from the first start or report to the instant of the answer">
          <Picture org={org} found={found} asOf={asOf} />
        </Panel>
      )}
      {affected.length > 0 && (
        <Panel title="Affected" note="artifacts with a version that is asked about, those that run first">
          <HeldTable org={org} rows={affected} caption="Artifacts that hold the component" />
        </Panel>
      )}
      {cleared.length > 0 && (
        <Panel
          title="Said not to be affected"
          note="they hold it, and statements of OpenVEX say that it does not matter"
        >
          <HeldTable org={org} rows={cleared} caption="Artifacts that are said not to be affected" />
        </Panel>
      )}
      {undecided.length > 0 && (
        <Panel title="Not decided" note="nobody can say whether the version is meant">
          <HeldTable org={org} rows={undecided} caption="Artifacts that may hold the component" />
        </Panel>
      )}
      {notKnown.length > 0 && (
        <Panel title="Not known" note="artifacts that run without a readable SBOM">
          <UnknownTable org={org} rows={notKnown} />
        </Panel>
      )}
      {recalled.length > 0 && (
        <Panel title="Recalled SBOMs" note="they list it, and do not count">
          <RecalledTable org={org} rows={recalled} />
        </Panel>
      )}
    </>
  );
}
