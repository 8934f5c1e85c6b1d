import { useLiveAnswer } from '../../client/live.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { CursorPager } from '../../parts/table/cursor-pager.tsx';
import { Filters, SelectFilter } from '../../parts/table/filters.tsx';
import { Table } from '../../parts/table/table.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { attemptText, deliveriesSentence, eventText, targetText, triggerText } from '../model/actions.ts';
import { useOlder } from '../older.ts';
import { DELIVERIES_PER_PAGE, type DeliverySearch, readLog, TRIGGERS } from '../routes.ts';

const STATES = [
  ['delivered', 'delivered'],
  ['pending', 'pending'],
  ['dead', 'dead'],
  ['discarded', 'discarded'],
] as const;

/** What is said of a delivery without an attempt. */
const NEVER_TRIED = {
  delivered: 'none',
  pending: 'none yet',
  dead: 'none',
  discarded: 'none: the target was disabled or gone',
} as const;

/** Filters that only links set. Each is shown with a way to take it away. */
const NAMED = ['action', 'flow', 'trail', 'environment'] as const;

export function DeliveryLog({ org, search }: { org: string; search: DeliverySearch }) {
  const { deliveries, next_cursor: next } = useLiveAnswer(readLog(org, search), search.cursor === undefined ? 5 : 60);
  const older = useOlder({
    next,
    isShort: deliveries.length < DELIVERIES_PER_PAGE,
    readAt: (cursor) => readLog(org, { ...search, cursor }),
    contentOf: (answer) => ({ rows: answer.deliveries.length, next: answer.next_cursor }),
  });
  const set = NAMED.flatMap((name) => (search[name] === undefined ? [] : [[name, String(search[name])] as const]));
  const { cursor, ...filters } = search;
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <>
      <VerdictLine
        subject="Deliveries"
        context={org}
        sentence={
          <Text>
            {deliveriesSentence(deliveries, {
              hasMore: older.next !== null,
              isFiltered,
              isLater: cursor !== undefined,
            })}
          </Text>
        }
        facts={[
          <PageLink key="actions" page="actions" params={{ org }}>
            All actions
          </PageLink>,
          ...set.map(([name, value]) => (
            <span key={name}>
              only {name} <Text>{value}</Text> (
              <PageLink
                page="deliveries"
                params={{ org }}
                search={{ ...search, [name]: undefined, cursor: undefined }}
                keepPlace
              >
                clear
              </PageLink>
              )
            </span>
          )),
        ]}
      />
      <Filters label="Filter the deliveries">
        <SelectFilter label="State" name="state" value={search.state} options={STATES} />
        <SelectFilter
          label="Event"
          name="trigger"
          value={search.trigger}
          options={TRIGGERS.map((trigger) => [trigger, triggerText(trigger)] as const)}
        />
      </Filters>
      {deliveries.length === 0 ? (
        <Empty sentence="There is no delivery to show." remedy="Deliveries are made when an event fits an action." />
      ) : (
        <Table
          caption="Deliveries, the newest event first"
          rows={deliveries}
          keyOf={({ id }) => id}
          isUnreadable={({ unreadable }) => unreadable === true}
          columns={[
            {
              head: 'About',
              cell: ({ event, action, state }) => (
                <PageLink page="action" params={{ org, action: String(action.number) }} search={{ state }} strong row>
                  <Text>{eventText(event)}</Text>
                </PageLink>
              ),
            },
            { head: 'State', fit: true, cell: ({ state }) => <State state={state} /> },
            { head: 'When', fit: true, cell: ({ event }) => <Time at={event.timestamp} /> },
            {
              head: 'Event',
              fit: true,
              cell: ({ trigger, event }) => (event.test ? 'test' : triggerText(trigger)),
            },
            {
              head: 'Last attempt',
              cell: ({ state, last_attempt: last, attempts_made: made, next_attempt_at: next }) =>
                last === null ? (
                  NEVER_TRIED[state]
                ) : (
                  <>
                    <Text>{attemptText(last)}</Text>
                    {made > 1 && ` (attempt ${made})`}
                    {next > 0 && (
                      <>
                        ; next <Time at={next} show="ago" />
                      </>
                    )}
                  </>
                ),
            },
            {
              head: 'Action and target',
              cell: ({ action, target }) => (
                <>
                  <PageLink page="action" params={{ org, action: String(action.number) }}>
                    <Text>{action.name || `#${action.number}`}</Text>
                  </PageLink>{' '}
                  → <Text>{targetText(target)}</Text>
                </>
              ),
            },
          ]}
        />
      )}
      <CursorPager {...older} page="deliveries" params={{ org }} search={search} />
      <Raw value={deliveries} path={`/deliveries/${org}?per_page=50`} />
    </>
  );
}
