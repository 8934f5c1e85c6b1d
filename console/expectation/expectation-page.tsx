import { useAnswer, useLiveAnswer } from '../client/live.ts';
import { SentenceOf } from '../environment/sentence-of.tsx';
import { Writes } from '../parts/form/writes.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time, useNow } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { Scope } from './expectation-table.tsx';
import { expectationWrites } from './forms.ts';
import { GapsOf } from './gap/gaps-of.tsx';
import { durationText } from './model/durations.ts';
import { expectationSentence, stateOfExpectation } from './model/expectations.ts';
import { askedText, subjectsOf } from './model/subjects.ts';
import type { Expectation } from './operations.ts';
import { type expectationRoute, readExpectation, readSubjects } from './routes.ts';

import { Subjects } from './subjects.tsx';
import { Versions } from './versions.tsx';

type Props = PageProps<typeof expectationRoute>;

/** An expectation: what it asks for, who does not meet it, and how it changed. */
export default function ExpectationPage({ params, search }: Props) {
  const { org } = params;
  const expectation = useAnswer(readExpectation(params));
  const { counts, open_gaps } = useLiveAnswer(readSubjects(params, search), 30);
  const { owner, severity, version } = expectation;
  return (
    <>
      <VerdictLine
        kind="Expectation"
        subject={expectation.name}
        context={org}
        state={stateOfExpectation({ ...expectation, counts, open_gaps })}
        sentence={
          <SentenceOf otherwise="Who meets it is not known.">
            <Sentence params={params} search={search} expectation={expectation} />
          </SentenceOf>
        }
        actions={<Writes org={org} writes={expectationWrites(org, expectation)} />}
        facts={[
          <span key="severity">severity {severity}</span>,
          <span key="owner">
            owner <Text>{owner ?? 'nobody'}</Text>
          </span>,
          <span key="version">
            version {version} of <Time at={expectation.changed_at} /> by <Text>{expectation.changed_by}</Text>
          </span>,
        ]}
      />
      <Panel
        title={subjectsOf(expectation.kind)}
        note={expectation.archived ? 'archived expectations have none' : 'as they are now'}
      >
        <Subjects params={params} search={search} kind={expectation.kind} />
      </Panel>
      <Panel title="Gaps" note="of the last 90 days" rows={4}>
        <GapsOf org={org} expectation={expectation} />
      </Panel>
      <Panel title="Definition">
        <Definition org={org} expectation={expectation} />
      </Panel>
      <Panel title="Versions" note="the newest first, with what each changed">
        <Versions params={params} page={search.page} />
      </Panel>
      <Raw value={expectation} path={`/expectations/${org}/${expectation.name}`} />
    </>
  );
}

function Sentence({ params, search, expectation }: Props & { expectation: Expectation }) {
  const judged = useAnswer(readSubjects(params, search));
  return <Text>{expectationSentence(expectation, judged, useNow())}</Text>;
}

const Definition = ({ org, expectation }: { org: string; expectation: Expectation }) => (
  <KeyValues
    rows={[
      ['Kind', `${expectation.kind}: ${askedText(expectation)}`],
      ['Scope', <Scope key="scope" org={org} scope={expectation.scope} />],
      ['At least every', durationText(expectation.every)],
      ['Grace', `${durationText(expectation.grace)}; after it what is expected is missed`],
      ['Told before it is missed', expectation.due_soon ? durationText(expectation.due_soon) : 'not at all'],
      ['Counts from', <Time key="from" at={expectation.starts_at} show="full" />],
      ['Owner', <Text key="owner">{expectation.owner ?? 'nobody'}</Text>],
      ['Severity', expectation.severity],
      [
        'Created',
        <span key="created">
          <Time at={expectation.created_at} show="full" /> by <Text>{expectation.created_by}</Text>
        </span>,
      ],
    ]}
  />
);
