import type { Trail } from '../../client/trails.ts';
import { addressOfLine } from '../../model/event-address.ts';
import { type EventLine, eventLines } from '../../model/trail-events.ts';
import { Id } from '../../parts/id.tsx';
import { PageLink } from '../../parts/link.tsx';
import { StateMark } from '../../parts/state.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { ToldLink } from '../../parts/told-link.tsx';
import type { ParamsOf } from '../route.ts';

/** Everything that happened to the trail and to its artifacts, the newest first. */
export function Events({ trail, params }: { trail: Trail; params: ParamsOf<'trail'> }) {
  const { org, flow } = params;
  const columns: Column<EventLine>[] = [
    { head: 'When', fit: true, cell: ({ at }) => <Time at={at} /> },
    { head: 'Verdict', fit: true, cell: ({ state }) => state && <StateMark state={state} /> },
    {
      head: 'What happened',
      cell: ({ verb, subject, attestation, environment }) => (
        <>
          {verb}{' '}
          {attestation === null ? (
            <Text>{subject}</Text>
          ) : (
            <PageLink
              page="trail"
              params={params}
              search={{ tab: 'events', attestation_id: attestation }}
              row
              keepPlace
            >
              <Text>{subject}</Text>
            </PageLink>
          )}
          {environment && (
            <>
              {' '}
              in{' '}
              <PageLink
                page="snapshot"
                params={{ org, env: environment.name, expression: String(environment.snapshot) }}
                row
              >
                <Text>{environment.name}</Text> #{environment.snapshot}
              </PageLink>
            </>
          )}
        </>
      ),
    },
    {
      head: 'About',
      cell: ({ object, fingerprint }) => (
        <>
          <Text>{object}</Text>{' '}
          {fingerprint !== null && (
            <PageLink page="artifact" params={{ org, flow, fingerprint }}>
              <Id what="fingerprint" short plain>
                {fingerprint}
              </Id>
            </PageLink>
          )}
        </>
      ),
    },
    {
      head: 'Notified',
      fit: true,
      cell: (line) => {
        const event = addressOfLine(line);
        if (event !== null) return <ToldLink org={org} event={event} />;
        return (
          <PageLink page="trail" params={params} search={{ tab: 'history' }} keepPlace>
            see history
          </PageLink>
        );
      },
    },
  ];
  const lines = eventLines(trail).map((line, n) => ({ ...line, key: String(n) }));
  return (
    <Table
      caption="Events of the trail"
      columns={columns}
      rows={lines}
      keyOf={(line) => (line as { key: string } & EventLine).key}
    />
  );
}
