import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../account/user.ts';
import { call } from '../../client/call.ts';
import { useLiveAnswer } from '../../client/live.ts';
import { count } from '../../model/words.ts';
import { Button } from '../../parts/control/button.tsx';
import { Confirm } from '../../parts/form/confirm.tsx';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Tabs } from '../../parts/page/tabs.tsx';
import { CursorPager } from '../../parts/table/cursor-pager.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import type { PageProps } from '../../routes/route.ts';
import { attemptText, eventText, targetText, triggerText } from '../model/actions.ts';
import { useOlder } from '../older.ts';
import { type Action, type Delivery, redeliver } from '../operations.ts';
import { type actionRoute, DELIVERIES_PER_PAGE, readDeliveries } from '../routes.ts';
import styles from './action.module.css';
import { Attempts } from './attempts.tsx';
import { Message } from './message.tsx';

const STATES = ['delivered', 'pending', 'dead', 'discarded'] as const;
const LABELS = { delivered: 'Delivered', pending: 'Pending', dead: 'Dead', discarded: 'Discarded' } as const;

interface DeliveriesProps {
  params: ParamsOf<'action'>;
  search: PageProps<typeof actionRoute>['search'];
  action: Action;
  onDone: (text: string) => void;
}

/** The deliveries of an action, with every attempt. The counts are those of the page that is shown. */
export function Deliveries({ params, search, action, onDone }: DeliveriesProps) {
  const { deliveries, next_cursor: next } = useLiveAnswer(readDeliveries(params, search.cursor), 5);
  const older = useOlder({
    next,
    isShort: deliveries.length < DELIVERIES_PER_PAGE,
    readAt: (cursor) => readDeliveries(params, cursor),
    contentOf: (answer) => ({ rows: answer.deliveries.length, next: answer.next_cursor }),
  });
  const shown = deliveries.filter(({ state }) => search.state === undefined || state === search.state);
  if (deliveries.length === 0 && search.cursor === undefined) {
    return (
      <Empty
        sentence="Nothing was sent yet."
        remedy={`It waits for: ${action.triggers.map(triggerText).join(', ')}. A test shows whether its targets can be reached.`}
      />
    );
  }
  const tab = (state: (typeof STATES)[number] | undefined) => ({
    label: state === undefined ? 'All' : LABELS[state],
    count: deliveries.filter((one) => state === undefined || one.state === state).length,
    page: 'action' as const,
    params,
    search: { ...search, state },
    isCurrent: search.state === state,
  });
  return (
    <>
      <Tabs label="Deliveries by state" tabs={[tab(undefined), ...STATES.map(tab)]} />
      {shown.length === 0 ? (
        <Empty sentence={`None of ${count(deliveries.length, 'delivery')} on this page is ${search.state}.`} />
      ) : (
        <ol className={styles['list']}>
          {shown.map((delivery) => (
            <Row
              key={delivery.id}
              params={params}
              cursor={search.cursor}
              action={action}
              delivery={delivery}
              onDone={onDone}
            />
          ))}
        </ol>
      )}
      <CursorPager {...older} page="action" params={params} search={search} />
    </>
  );
}

/** What is said of a delivery without an attempt. */
const NOT_SENT = {
  delivered: 'no attempt is kept',
  pending: 'not sent yet',
  dead: 'not sent: given up',
  discarded: 'not sent: the target was disabled or gone',
} as const;

interface RowProps {
  params: ParamsOf<'action'>;
  cursor: string | undefined;
  action: Action;
  delivery: Delivery;
  onDone: (text: string) => void;
}

function Row({ params, cursor, action, delivery, onDone }: RowProps) {
  const { org } = params;
  const [asks, setAsks] = useState(false);
  const queries = useQueryClient();
  const mayWrite = useMay(org, 'member');
  const { event, state, target, attempts, next_attempt_at: next, unreadable } = delivery;
  const last = attempts.at(-1);
  const name = event.test ? 'the test event' : eventText(event);
  const again = async (): Promise<void> => {
    await call(redeliver, { org, action_number: action.number, delivery_id: delivery.id }, {});
    await queries.invalidateQueries();
    onDone(`The delivery about ${name} is sent again now.`);
  };
  if (unreadable) {
    return (
      <li className={styles['delivery']}>
        <s>{delivery.id}</s> <span className={styles['quiet']}>This delivery cannot be read.</span>
      </li>
    );
  }
  return (
    <li className={styles['delivery']}>
      <div className={styles['line']}>
        <State state={state} />
        <span className={styles['event']}>
          {triggerText(delivery.trigger) || 'test'} <EventLink org={org} delivery={delivery} />
        </span>
        <span className={styles['quiet']}>
          <Time at={event.timestamp} /> → <Text>{targetText(target)}</Text>
        </span>
        {mayWrite && state !== 'pending' && (
          <span className={styles['again']}>
            <Button onClick={() => setAsks(true)}>Redeliver</Button>
          </span>
        )}
      </div>
      <div className={styles['attempts']}>
        {(attempts.length > 0 || next > 0) && <Attempts delivery={delivery} />}
        <span className={styles['quiet']}>
          {attempts.length === 0 ? NOT_SENT[state] : count(attempts.length, 'attempt')}
          {last && (
            <>
              , last <Time at={last.at} />: <Text>{attemptText(last)}</Text>
            </>
          )}
          {next > 0 && (
            <>
              ; next <Time at={next} show="ago" />
            </>
          )}
        </span>
      </div>
      <Message params={params} cursor={cursor} id={delivery.id} />
      {last?.answer && (
        <details className={styles['answer']}>
          <summary>Beginning of the answer</summary>
          <pre>
            <Text lines>{last.answer}</Text>
          </pre>
        </details>
      )}
      {asks && (
        <Confirm does={`Redeliver ${name}`} act={again} onClose={() => setAsks(false)}>
          <Text>{targetText(target)}</Text> gets the same message under the same id, now. The schedule of attempts
          starts again.
        </Confirm>
      )}
    </li>
  );
}

/** The page of what happened. */
function EventLink({ org, delivery: { event } }: { org: string; delivery: Delivery }) {
  const { flow, trail, environment } = event;
  const text = <Text>{eventText(event)}</Text>;
  if (event.test) return text;
  if (flow !== undefined && trail !== undefined) {
    return (
      <PageLink page="trail" params={{ org, flow, trail }} strong row>
        {text}
      </PageLink>
    );
  }
  if (flow !== undefined) {
    return (
      <PageLink page="flow" params={{ org, flow }} strong row>
        {text}
      </PageLink>
    );
  }
  return environment === undefined ? (
    text
  ) : (
    <PageLink page="environment" params={{ org, env: environment }} strong row>
      {text}
    </PageLink>
  );
}
