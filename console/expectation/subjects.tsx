import { useAnswer } from '../client/live.ts';
import { STATES } from '../model/states.ts';
import { Empty } from '../parts/page/empty.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import { Filters, SelectFilter } from '../parts/table/filters.tsx';
import { Table } from '../parts/table/table.tsx';
import { State } from '../parts/text/state.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { SubjectLink } from './gap/subject-link.tsx';
import { byState, SUBJECT_STATES } from './model/expectations.ts';
import { placeOf, subjectName, subjectsOf } from './model/subjects.ts';
import { type expectationRoute, readSubjects } from './routes.ts';

const BY_NAME = { first: 'Back to the first', next: 'More' };

/** The subjects of an expectation, who is silent first. */
export function Subjects({
  params,
  search,
  kind,
}: Pick<PageProps<typeof expectationRoute>, 'params' | 'search'> & { kind: string }) {
  const { org } = params;
  const { subjects, counts, next_cursor: next } = useAnswer(readSubjects(params, search));
  const noun = subjectsOf(kind);
  // Without counts every state can be present.
  const present = SUBJECT_STATES.filter((state) => !counts || counts[state] > 0);
  return (
    <>
      {(present.length > 1 || search.state !== undefined) && (
        <Filters label={`Filter the ${noun.toLowerCase()}`}>
          <SelectFilter
            label="State"
            name="state"
            value={search.state}
            options={SUBJECT_STATES.map((state) => [
              state,
              `${STATES[state].word.toLowerCase()}${counts ? ` (${counts[state].toLocaleString('en')})` : ''}`,
            ])}
          />
        </Filters>
      )}
      {subjects.length === 0 ? (
        <Empty
          sentence={`None of the ${noun.toLowerCase()} is in ${search.state === undefined ? 'the scope' : 'this state'}.`}
        />
      ) : (
        <Table
          caption={`${noun} of the expectation`}
          rows={byState(subjects)}
          keyOf={(one) => `${subjectName(one)} ${one.due_at}`}
          columns={[
            {
              head: noun.slice(0, -1),
              cell: (one) => <SubjectLink org={org} subject={placeOf(one)} text={subjectName(one)} row />,
            },
            { head: 'State', fit: true, cell: ({ state }) => <State state={state} /> },
            {
              head: kind === 'reports' ? 'Last report' : 'Last met',
              fit: true,
              cell: ({ last_reported_at: reported, last_met_at: met, state }) => (
                <Time at={reported ?? met ?? null} show="ago" never={state === 'unknown' ? 'not known' : 'never'} />
              ),
            },
            { head: 'Missed after', fit: true, cell: ({ due_at: at }) => <Time at={at} /> },
          ]}
        />
      )}
      <CursorPager next={next} page="expectation" params={params} search={search} labels={BY_NAME} />
    </>
  );
}
