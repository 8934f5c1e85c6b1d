import { useAnswer } from '../client/live.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Text } from '../parts/text/text.tsx';
import { ExpectationTable } from './expectation-table.tsx';
import { GapsOf } from './gap/gaps-of.tsx';
import { byUrgency } from './model/expectations.ts';
import { isAboutControl } from './model/subjects.ts';
import { readExpectations } from './routes.ts';

/** What is expected of a control, what is overdue first, and the gaps of the first of them; the others have theirs on their pages. */
export default function ControlGaps({ org, control }: { org: string; control: string }) {
  const { expectations, next_cursor: next } = useAnswer(readExpectations(org));
  const found = byUrgency(expectations.filter((one) => isAboutControl(one, control)));
  const [first] = found;
  return (
    <>
      <Panel title="Expected" note="decisions about the control, what is overdue first">
        {first ? (
          <ExpectationTable org={org} caption="Expectations about the control" expectations={found} />
        ) : (
          <Empty
            sentence="Nobody said how often decisions about the control have to come."
            remedy={
              <PageLink page="expectations" params={{ org }}>
                What is expected
              </PageLink>
            }
          />
        )}
        {next !== null && (
          <p>
            The first {expectations.length} expectations by name were searched.{' '}
            <PageLink page="expectations" params={{ org }}>
              All expectations
            </PageLink>
          </p>
        )}
      </Panel>
      {first && (
        <Panel title="Gaps" note="of the last 90 days" rows={4}>
          <p>
            Of <Text>{first.name}</Text>
          </p>
          <GapsOf org={org} expectation={first} />
        </Panel>
      )}
    </>
  );
}
