import { useLiveAnswer } from '../../client/live.ts';
import { count } from '../../model/words.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Panel } from '../../parts/page/panel.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { Table } from '../../parts/table/table.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { attemptText, explanationSentence, MISMATCH_TEXTS, targetText } from '../model/actions.ts';
import type { ExplainedAction, Explanation } from '../operations.ts';
import { type DeliverySearch, readExplanation } from '../routes.ts';

/** The actions that were notified of one event, those that were not, and why not. */
export function Recipients({ org, search }: { org: string; search: DeliverySearch }) {
  const answer = useLiveAnswer(readExplanation(org, search), 15);
  const { event, actions } = answer;
  const notified = actions.filter(({ matches }) => matches);
  const others = actions.filter(({ matches }) => !matches);
  return (
    <>
      <VerdictLine
        kind="Who was told"
        subject={event.description || event.type.replaceAll('_', ' ').toLowerCase()}
        context="who was told"
        sentence={
          event.trigger === null ? (
            'Nobody: events of this kind never notify anybody.'
          ) : (
            <Text>{explanationSentence(actions)}</Text>
          )
        }
        facts={[
          <EventLink key="event" org={org} event={event} search={search} />,
          <Time key="at" at={event.timestamp} show="full" />,
          <PageLink key="log" page="deliveries" params={{ org }}>
            All deliveries
          </PageLink>,
        ]}
      />
      <Panel title="Actions that fit" note={String(notified.length)}>
        {notified.length === 0 ? (
          <Empty
            sentence="No action fits the event."
            remedy={others.length > 0 ? 'The list below says why.' : 'An action notifies people or programs of events.'}
          />
        ) : (
          <Notified org={org} actions={notified} />
        )}
      </Panel>
      {others.length > 0 && (
        <Panel title="Actions that do not fit" note="with the first condition that is not met">
          <Table
            caption="Actions that do not fit"
            rows={others}
            keyOf={({ number }) => String(number)}
            columns={[
              { head: 'Action', cell: ({ name, number }) => <ActionLink org={org} name={name} number={number} /> },
              { head: 'Why not', wide: true, cell: ({ mismatch }) => MISMATCH_TEXTS[mismatch ?? ''] ?? mismatch },
            ]}
          />
        </Panel>
      )}
      <Raw value={answer} path={`/deliveries/${org}/explain`} />
    </>
  );
}

interface EventLinkProps {
  org: string;
  event: Explanation['event'];
  search: DeliverySearch;
}

/** The way back to what happened. */
function EventLink({ org, event: { flow, trail, environment: env, trigger }, search }: EventLinkProps) {
  if (search.gap !== undefined) {
    return (
      <PageLink page="gap" params={{ org, gap: search.gap }}>
        The gap
      </PageLink>
    );
  }
  if (flow !== undefined && trail !== undefined) {
    const { attestation_id } = search;
    return (
      <PageLink
        page="trail"
        params={{ org, flow, trail }}
        search={attestation_id ? { attestation_id } : { tab: 'history' }}
      >
        {attestation_id ? 'The attestation' : 'History of the trail'}
      </PageLink>
    );
  }
  if (env === undefined) return null;
  return trigger === 'ON_ALLOWED_ARTIFACT' ? (
    <PageLink page="environment-allowed" params={{ org, env }}>
      Allow-list of <Text>{env}</Text>
    </PageLink>
  ) : (
    <PageLink page="snapshot" params={{ org, env, expression: String(search.snapshot) }}>
      Snapshot {search.snapshot} of <Text>{env}</Text>
    </PageLink>
  );
}

const ActionLink = ({ org, name, number }: { org: string; name: string; number: number }) => (
  <PageLink page="action" params={{ org, action: String(number) }} strong row>
    <Text>{name}</Text>
  </PageLink>
);

const Notified = ({ org, actions }: { org: string; actions: readonly ExplainedAction[] }) => (
  <Table
    caption="Actions that fit, and their targets"
    rows={actions.flatMap((action) =>
      action.targets.map((target, n) => ({ action, target, key: `${action.number} ${n}` })),
    )}
    keyOf={({ key }) => key}
    columns={[
      { head: 'Action', cell: ({ action }) => <ActionLink org={org} name={action.name} number={action.number} /> },
      { head: 'Target', cell: ({ target }) => <Text>{targetText(target)}</Text> },
      {
        head: 'State',
        fit: true,
        cell: ({ target: { delivery } }) => (delivery === null ? 'not made yet' : <State state={delivery.state} />),
      },
      {
        head: 'Why',
        wide: true,
        cell: ({ target: { delivery, disabled_since: disabled } }) => {
          const last = delivery?.last_attempt;
          return (
            <>
              {last && (
                <>
                  {count(delivery.attempts_made, 'attempt')}, the last <Time at={last.at} />:{' '}
                  <Text>{attemptText(last)}</Text>.{' '}
                </>
              )}
              {disabled !== null && (
                <>
                  The target is disabled since it answered 410 on <Time at={disabled} />.
                </>
              )}
            </>
          );
        },
      },
    ]}
  />
);
