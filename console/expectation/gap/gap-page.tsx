import { useLiveAnswer } from '../../client/live.ts';
import { curlOf } from '../../model/commands.ts';
import { duration } from '../../model/time.ts';
import { Writes } from '../../parts/form/writes.tsx';
import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { KeyValues } from '../../parts/page/key-values.tsx';
import { Panel } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { Code } from '../../parts/text/code.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time, useNow } from '../../parts/text/time.tsx';
import type { PageProps } from '../../routes/route.ts';
import { excuseForms } from '../forms.ts';
import { eventsOfGap, gapSentence, lengthOfGap, stateOfGap, subjectText } from '../model/gaps.ts';
import type { Gap } from '../operations.ts';
import { type gapRoute, readGap } from '../routes.ts';
import { SubjectLink } from './subject-link.tsx';

/** A gap: what did not come, from when until when, and why nobody has to worry. */
export default function GapPage({ params }: PageProps<typeof gapRoute>) {
  const { org } = params;
  const gap = useLiveAnswer(readGap(params), ({ until }) => (until === null ? 30 : 300));
  const now = useNow();
  const { explanation } = gap;
  return (
    <>
      <VerdictLine
        kind="Gap"
        subject={subjectText(gap.subject)}
        context={gap.expectation}
        state={stateOfGap(gap)}
        sentence={<Text>{gapSentence(gap, now)}</Text>}
        actions={<Writes org={org} writes={excuseForms(org, gap)} />}
        facts={[
          <PageLink key="expectation" page="expectation" params={{ org, expectation: gap.expectation }}>
            <Text>{gap.expectation}</Text>
          </PageLink>,
          <span key="severity">severity {gap.severity}</span>,
          <span key="owner">
            owner <Text>{gap.owner ?? 'nobody'}</Text>
          </span>,
          ...eventsOfGap(gap).map(({ trigger, text }) => (
            <PageLink key={trigger} page="deliveries" params={{ org }} search={{ gap: gap.id, trigger }}>
              Who was told {text}
            </PageLink>
          )),
        ]}
      />
      {explanation && (
        <Panel title="Explanation">
          <p>
            «<Text lines>{explanation.text}</Text>» <Text>{explanation.by}</Text>, <Time at={explanation.at} />
          </p>
        </Panel>
      )}
      <Panel title="Interval">
        <Interval org={org} gap={gap} now={now} />
      </Panel>
      <Panel title="Statement">
        <Statement path={`/api/v2/gaps/${encodeURIComponent(org)}/${encodeURIComponent(gap.id)}/statement`} />
      </Panel>
      <Raw value={gap} path={`/gaps/${org}/${gap.id}`} />
    </>
  );
}

/** How to get what this page says, signed by the service. */
const Statement = ({ path }: { path: string }) => (
  <>
    <p>
      The service signs what is known of this gap. A program of others can verify the statement, without the service.
    </p>
    <Code what="Get it with the proof that it is in the log" wrap>
      {curlOf(location.origin, `${path}?format=sigstore`)}
    </Code>
  </>
);

const Interval = ({ org, gap, now }: { org: string; gap: Gap; now: number }) => (
  <KeyValues
    rows={[
      ['About', <SubjectLink key="subject" org={org} subject={gap.subject} />],
      ['Last before', <Arrival key="before" arrival={gap.last_before} none="nothing ever came" />],
      ['From', <Time key="from" at={gap.from} show="full" />],
      ['Found', <Time key="found" at={gap.detected_at} show="full" />],
      ['Until', <Time key="until" at={gap.until} show="full" never="it lasts" />],
      ['First after', gap.first_after && <Arrival key="after" arrival={gap.first_after} none="" />],
      ['Length', duration(lengthOfGap(gap, now))],
      [
        'Unknown',
        gap.unknown_seconds > 0 && `${duration(gap.unknown_seconds)}, in which the service itself did not run`,
      ],
      [
        'Expectation',
        <span key="expectation">
          <Text>{gap.expectation}</Text>, version {gap.expectation_version}
        </span>,
      ],
    ]}
  />
);

/** When something came, with the page that shows it. */
function Arrival({ arrival, none }: { arrival: Gap['last_before']; none: string }) {
  if (!arrival) return none;
  const { at, html_url: url } = arrival;
  return (
    <>
      <Time at={at} show="full" /> {url !== null && <OutLink href={url}>what came</OutLink>}
    </>
  );
}
