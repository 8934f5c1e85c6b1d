import { useState } from 'react';
import { useAnswer, useLiveAnswer } from '../../client/live.ts';
import { SentenceOf } from '../../environment/sentence-of.tsx';
import { Notice } from '../../parts/form/field.tsx';
import { PageLink } from '../../parts/link/link.tsx';
import { Panel } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time, useNow } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import type { PageProps } from '../../routes/route.ts';
import { actionSentence, actionState, isDisabled, targetText, triggerText } from '../model/actions.ts';
import type { Action } from '../operations.ts';
import { type actionRoute, readAction, readDeliveries } from '../routes.ts';
import styles from './action.module.css';
import { Deliveries } from './deliveries.tsx';
import { Watched } from './watched.tsx';
import { Week } from './week.tsx';
import { Writes } from './writes.tsx';

/** One action: whether it works, its targets, and every delivery with its attempts. */
export default function ActionPage({ params, search }: PageProps<typeof actionRoute>) {
  const { org } = params;
  const action = useLiveAnswer(readAction(params), 5);
  const [notice, setNotice] = useState<string | null>(null);
  return (
    <>
      <VerdictLine
        kind={action.type === 'env' ? 'Environment notification' : 'Flow action'}
        subject={action.name}
        context="action"
        state={actionState(action)}
        sentence={
          <SentenceOf otherwise="Its deliveries could not be read.">
            <Sentence params={params} action={action} />
          </SentenceOf>
        }
        facts={[
          <span key="when">when: {action.triggers.map(triggerText).join(', ') || 'never'}</span>,
          <span key="in">
            in: <Watched org={org} action={action} />
          </span>,
          <span key="success">
            last success <Time at={action.last_success_timestamp || null} show="ago" never="never" />
          </span>,
          <span key="by">
            saved <Time at={action.last_modified_at} /> by <Text>{action.created_by}</Text>
          </span>,
          <PageLink key="log" page="deliveries" params={{ org }} search={{ action: action.number }}>
            in the delivery log
          </PageLink>,
        ]}
        actions={<Writes org={org} action={action} onDone={setNotice} />}
      />
      <Notice>{notice}</Notice>
      <Panel title="Targets">
        <Targets action={action} />
      </Panel>
      <Panel title="Last 7 days" note="by the day of the event" rows={3}>
        <Week params={params} />
      </Panel>
      <Panel title="Deliveries" note="the newest event first, each with its attempts" rows={8}>
        <Deliveries params={params} search={search} action={action} onDone={setNotice} />
      </Panel>
      <Raw value={action} path={`/actions/${org}/${action.number}`} />
    </>
  );
}

function Sentence({ params, action }: { params: ParamsOf<'action'>; action: Action }) {
  const { deliveries, next_cursor: next } = useAnswer(readDeliveries(params));
  return <Text>{actionSentence(action, deliveries, next !== null, useNow())}</Text>;
}

const KINDS = { CHAT: 'chat', WEBHOOK: 'webhook', EMAIL: 'mail' } as const;

const Targets = ({ action: { targets } }: { action: Action }) => (
  <ul className={styles['list']}>
    {targets.map((target) => {
      const { last_success_at: success, last_failure_at: failure, type } = target;
      return (
        <li key={JSON.stringify(target)} className={styles['target']}>
          {isDisabled(target) ? (
            <State state="discarded">disabled since it answered 410</State>
          ) : (
            <State state={success === 0 && failure === 0 ? 'idle' : failure > success ? 'failing' : 'working'} />
          )}
          <span className={styles['event']}>
            {KINDS[type]} <Text>{targetText(target)}</Text>
          </span>
          <span className={styles['quiet']}>
            last success <Time at={success || null} show="ago" never="never" />
          </span>
          <span className={styles['quiet']}>
            last failure <Time at={failure || null} show="ago" never="never" />
          </span>
        </li>
      );
    })}
  </ul>
);
