import { useLiveAnswer } from '../client/live.ts';
import { STATES } from '../model/states.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Filters, SelectFilter } from '../parts/table/filters.tsx';
import { Table } from '../parts/table/table.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { Watched } from './action/watched.tsx';
import { newFlowAction, newNotification } from './forms.ts';
import { actionListSentence, actionState, targetText, triggerText } from './model/actions.ts';
import { type actionsRoute, readActions } from './routes.ts';

/** All actions of an organization: who is told of what, and whether it works. */
export default function ActionsPage({ params, search }: PageProps<typeof actionsRoute>) {
  const { org } = params;
  const all = useLiveAnswer(readActions(org, search.type), 30);
  const ordered = all.toSorted((a, b) => rank(actionState(a)) - rank(actionState(b)) || a.number - b.number);
  return (
    <>
      <VerdictLine
        subject="Actions"
        context={org}
        sentence={<Text>{actionListSentence(all)}</Text>}
        actions={<Writes org={org} writes={[newFlowAction(org, all), newNotification(org, all)]} />}
        facts={[
          <PageLink key="all" page="deliveries" params={{ org }}>
            All deliveries
          </PageLink>,
        ]}
      />
      <Filters label="Filter the actions">
        <SelectFilter
          label="Events of"
          name="type"
          value={search.type}
          all="flows and environments"
          options={[
            ['flow', 'flows'],
            ['env', 'environments'],
          ]}
        />
      </Filters>
      {all.length === 0 ? (
        <Empty
          sentence="An action tells a chat, a webhook or people by mail when something happens."
          commands={[
            {
              what: 'curl',
              text: `curl -X PUT ${location.origin}/api/v2/actions/${org}/flows \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"name":"team","type":"flow","triggers":["ON_ATTESTATION"],\n       "targets":[{"type":"EMAIL","emails":["team@example.com"]}]}'`,
            },
          ]}
        />
      ) : (
        <Table
          caption="Actions, those that fail first"
          rows={ordered}
          keyOf={({ number }) => String(number)}
          isUnreadable={({ unreadable }) => unreadable === true}
          columns={[
            {
              head: 'Action',
              cell: ({ name, number }) => (
                <PageLink page="action" params={{ org, action: String(number) }} strong row>
                  <Text>{name || `#${number}`}</Text>
                </PageLink>
              ),
            },
            {
              head: 'State',
              fit: true,
              sortBy: (action) => STATES[actionState(action)].word,
              cell: (action) => <State state={actionState(action)} />,
            },
            { head: 'When', cell: ({ triggers }) => triggers.map(triggerText).join(', ') || '–' },
            { head: 'In', cell: (action) => <Watched org={org} action={action} /> },
            { head: 'Tells', cell: ({ targets }) => <Text>{targets.map(targetText).join(', ')}</Text> },
            {
              head: 'Last success',
              fit: true,
              cell: ({ last_success_timestamp: at }) => <Time at={at || null} show="ago" never="never" />,
            },
            {
              head: 'Last failure',
              fit: true,
              cell: ({ last_failure_timestamp: at }) => <Time at={at || null} show="ago" never="never" />,
            },
          ]}
        />
      )}
      <Raw value={all} path={`/actions/${org}`} />
    </>
  );
}

const rank = (state: string): number => ['failing', 'unknown', 'idle', 'working'].indexOf(state);
