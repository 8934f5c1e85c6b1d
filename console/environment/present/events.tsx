import { useAnswer } from '../../client/live.ts';
import { stateOfVerdict } from '../../model/states.ts';
import { addressOfEvent } from '../../notification/model/event-address.ts';
import { RecipientsLink } from '../../notification/recipients-link.tsx';
import { PageChoices } from '../../parts/control/choices.tsx';
import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Table } from '../../parts/table/table.tsx';
import { State, StateMark } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import { ArtifactName } from '../../release/artifact-name.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import { eventDetail, eventVerb } from '../model/environment-events.ts';
import { EVENTS_PER_PAGE, readEvents } from '../reads.ts';

/** What started, stopped or changed in the environment. */
export function Events({ params, page }: { params: ParamsOf<'environment'>; page: number }) {
  const { org, env } = params;
  const events = useAnswer(readEvents(params, page));
  if (events.length === 0) {
    return <Empty sentence={page === 1 ? 'Nothing started or stopped here yet.' : 'There are no older events.'} />;
  }
  return (
    <>
      <Table
        caption="Events of the environment, the newest first"
        rows={events.map((event, n) => ({ ...event, key: `${page} ${n}` }))}
        keyOf={({ key }) => key}
        columns={[
          {
            head: 'When',
            fit: true,
            cell: ({ reported_at: at, snapshot_index: index }) => (
              <PageLink page="snapshot" params={{ org, env, expression: String(index) }} strong row>
                <Time at={at} />
              </PageLink>
            ),
          },
          { head: 'Event', fit: true, cell: (event) => eventVerb(event.type) },
          {
            head: 'Artifact',
            cell: ({ artifact_name: name, sha256: fingerprint, pipeline: flow }) => (
              <ArtifactName org={org} name={name} fingerprint={fingerprint} flow={flow === '' ? null : flow} />
            ),
          },
          {
            head: 'Artifact state',
            fit: true,
            cell: (event) => <State state={stateOfVerdict(event.artifact_state)} />,
          },
          { head: 'Detail', cell: ({ description }) => <Text>{eventDetail(description)}</Text> },
          {
            head: 'Snapshot',
            fit: true,
            cell: ({ snapshot_index: index, snapshot_state: state }) => (
              <>
                <StateMark state={stateOfVerdict(state)} /> #{index}
              </>
            ),
          },
          {
            head: 'Code',
            fit: true,
            cell: ({ code_diff: diff }) => (diff === null ? '–' : <OutLink href={diff}>difference</OutLink>),
          },
          { head: 'Notified', fit: true, cell: (event) => <RecipientsLink org={org} event={addressOfEvent(event)} /> },
        ]}
      />
      <PageChoices>
        {page > 1 && (
          <PageLink
            page="environment"
            params={params}
            search={{ tab: 'events', page: page === 2 ? undefined : page - 1 }}
          >
            Newer events
          </PageLink>
        )}
        {events.length === EVENTS_PER_PAGE && (
          <PageLink page="environment" params={params} search={{ tab: 'events', page: page + 1 }}>
            Older events
          </PageLink>
        )}
      </PageChoices>
    </>
  );
}
