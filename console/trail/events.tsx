import { addressOfLine } from '../notification/model/event-address.ts';
import { RecipientsLink } from '../notification/recipients-link.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { type Column, Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { StateMark } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { ParamsOf } from '../routes/params.ts';
import { type EventLine, eventLines } from './model/trail-events.ts';
import type { Trail } from './operations.ts';

/** Everything that happened to the trail and to its artifacts, the newest first. */
export function Events({ trail, params }: { trail: Trail; params: ParamsOf<'trail'> }) {
  const { org, flow } = params;
  const columns: Column<EventLine & { key: string }>[] = [
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
              strong
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
                strong
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
        if (event !== null) return <RecipientsLink org={org} event={event} />;
        return (
          <PageLink page="trail" params={params} search={{ tab: 'history' }} keepPlace>
            see history
          </PageLink>
        );
      },
    },
  ];
  const lines = eventLines(trail).map((line, n) => ({ ...line, key: String(n) }));
  return <Table caption="Events of the trail" columns={columns} rows={lines} keyOf={({ key }) => key} />;
}
