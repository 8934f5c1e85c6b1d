import { useAnswer } from '../client/live.ts';
import { STATES } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import { Filters, SelectFilter } from '../parts/table/filters.tsx';
import { Table } from '../parts/table/table.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { byState, SUBJECT_STATES } from './model/expectations.ts';
import { type expectationRoute, readSubjects } from './routes.ts';

const BY_NAME = { first: 'Back to the first', next: 'More' };

/** The environments of an expectation, who is silent first. */
export function Subjects({ params, search }: Pick<PageProps<typeof expectationRoute>, 'params' | 'search'>) {
  const { org } = params;
  const { subjects, counts, next_cursor: next } = useAnswer(readSubjects(params, search));
  const present = SUBJECT_STATES.filter((state) => counts[state] > 0);
  return (
    <>
      {(present.length > 1 || search.state !== undefined) && (
        <Filters label="Filter the environments">
          <SelectFilter
            label="State"
            name="state"
            value={search.state}
            options={SUBJECT_STATES.map((state) => [
              state,
              `${STATES[state].word.toLowerCase()} (${counts[state].toLocaleString('en')})`,
            ])}
          />
        </Filters>
      )}
      {subjects.length === 0 ? (
        <Empty
          sentence={search.state === undefined ? 'No environment is in the scope.' : 'No environment is in this state.'}
        />
      ) : (
        <Table
          caption="Environments of the expectation"
          rows={byState(subjects)}
          keyOf={({ environment }) => environment}
          columns={[
            {
              head: 'Environment',
              cell: ({ environment: env }) => (
                <PageLink page="environment" params={{ org, env }} strong row>
                  <Text>{env}</Text>
                </PageLink>
              ),
            },
            { head: 'State', fit: true, cell: ({ state }) => <State state={state} /> },
            {
              head: 'Last report',
              fit: true,
              cell: ({ last_reported_at: at, state }) => (
                <Time at={at} show="ago" never={state === 'unknown' ? 'not known' : 'never'} />
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
