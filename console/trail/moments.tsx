import { useAnswer } from '../client/live.ts';
import { read } from '../client/query-client.ts';
import { stateOfWord } from '../model/states.ts';
import { RecipientsLink } from '../notification/recipients-link.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { Author } from '../people/author.tsx';
import type { ParamsOf } from '../routes/params.ts';
import { momentText } from './model/trail-events.ts';
import { trailMoments } from './operations.ts';

const PER_PAGE = 100;

/** The numbered moments of the trail. Each leads to the trail as it was after it. */
export function Moments({ params, page }: { params: ParamsOf<'trail'>; page: number | undefined }) {
  const { org, flow, trail } = params;
  const query = { page, per_page: PER_PAGE };
  const {
    moments,
    total_count: total,
    total_pages: pages,
  } = useAnswer(read(trailMoments, { org, flow_name: flow, trail_name: trail }, query));
  return (
    <>
      <Table
        caption="Moments of the trail"
        rows={moments}
        keyOf={({ moment_number: number }) => String(number)}
        columns={[
          {
            head: 'Moment',
            fit: true,
            cell: ({ moment_number: number }) => (
              <PageLink
                page="trail"
                params={params}
                search={{ moment: number }}
                strong
                row
                title="The trail as it was then"
              >
                #{number}
              </PageLink>
            ),
          },
          { head: 'When', fit: true, cell: ({ created_at: at }) => <Time at={at} /> },
          { head: 'What happened', wide: true, cell: (moment) => <Text>{momentText(moment)}</Text> },
          { head: 'By', cell: ({ created_by: by, identity }) => <Author name={by} identity={identity} /> },
          {
            head: 'Trail after it',
            fit: true,
            cell: ({ compliance_state: word }) => <State state={stateOfWord(word)} />,
          },
          {
            head: 'Notified',
            fit: true,
            cell: ({ moment_number: moment }) => <RecipientsLink org={org} event={{ flow, trail, moment }} />,
          },
          {
            head: 'Hash',
            fit: true,
            cell: ({ hash }) => (
              <Id what="hash of the moment" short>
                {hash}
              </Id>
            ),
          },
        ]}
      />
      <Pager
        pagination={{ page: page ?? 1, per_page: PER_PAGE, total, page_count: pages }}
        page="trail"
        params={params}
        search={{ tab: 'history' }}
      />
    </>
  );
}
