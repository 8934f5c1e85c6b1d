import { STATES } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import { EnvironmentLinks } from '../parts/link/name-links.tsx';
import { Table } from '../parts/table/table.tsx';
import { Tags } from '../parts/tags/tags.tsx';
import { State, StateMark } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import styles from './expectation.module.css';
import { durationText } from './model/durations.ts';
import { SUBJECT_STATES, stateOfExpectation } from './model/expectations.ts';
import type { Expectation } from './operations.ts';

interface ExpectationTableProps {
  org: string;
  caption: string;
  expectations: readonly Expectation[];
}

/** Expectations with the states of their subjects, and when the next one is due. */
export const ExpectationTable = ({ org, caption, expectations }: ExpectationTableProps) => (
  <Table
    caption={caption}
    rows={expectations}
    keyOf={({ name }) => name}
    isUnreadable={({ unreadable }) => unreadable === true}
    columns={[
      {
        head: 'Expectation',
        cell: ({ name }) => (
          <PageLink page="expectation" params={{ org, expectation: name }} strong row>
            <Text>{name}</Text>
          </PageLink>
        ),
      },
      { head: 'State', fit: true, cell: (one) => <State state={stateOfExpectation(one)} /> },
      { head: 'Subjects', fit: true, cell: (one) => <Counts org={org} expectation={one} /> },
      { head: 'At least every', fit: true, cell: ({ every }) => durationText(every) },
      { head: 'Next due', fit: true, cell: ({ next_due_at: at }) => <Time at={at} show="ago" /> },
      { head: 'Scope', cell: ({ scope }) => <Scope org={org} scope={scope} /> },
      { head: 'Owner', fit: true, cell: ({ owner }) => <Text>{owner ?? '–'}</Text> },
      { head: 'Severity', fit: true, cell: ({ severity }) => severity },
    ]}
  />
);

/** What an expectation is about: environments by their names, or tags. */
export function Scope({
  org,
  scope: { environments, flows, tags = {} },
}: {
  org: string;
  scope: Expectation['scope'];
}) {
  if (flows) return <Text>{flows.toSorted().join(', ')}</Text>;
  return environments ? <EnvironmentLinks org={org} environments={environments.toSorted()} /> : <Tags tags={tags} />;
}

/** How many subjects are in each state. Each number leads to what it counts. */
function Counts({ org, expectation }: { org: string; expectation: Expectation }) {
  const { name, counts, open_gaps: open, archived } = expectation;
  if (archived) return '–';
  if (open !== undefined)
    return open === 0 ? 'none missed' : <Count org={org} name={name} state="missed" count={open} />;
  if (!counts) return '–';
  const found = SUBJECT_STATES.filter((state) => counts[state] > 0);
  if (found.length === 0) return 'none';
  return (
    <span className={styles['counts']}>
      {found.map((state) => (
        <Count key={state} org={org} name={name} state={state} count={counts[state]} />
      ))}
    </span>
  );
}

interface CountProps {
  org: string;
  name: string;
  state: (typeof SUBJECT_STATES)[number];
  count: number;
}

const Count = ({ org, name, state, count }: CountProps) => (
  <PageLink
    page="expectation"
    params={{ org, expectation: name }}
    search={{ state }}
    className={styles['count']}
    title={STATES[state].word}
  >
    <StateMark state={state} />
    {count.toLocaleString('en')}
  </PageLink>
);
