import { useAnswer } from '../../client/live.ts';
import { read } from '../../client/query-client.ts';
import { trailMoments } from '../../client/trails.ts';
import { stateOfWord } from '../../model/states.ts';
import { momentText } from '../../model/trail-events.ts';
import { Author } from '../../parts/author.tsx';
import { Id } from '../../parts/id.tsx';
import { PageLink } from '../../parts/link.tsx';
import { Pager } from '../../parts/pager.tsx';
import { State } from '../../parts/state.tsx';
import { Table } from '../../parts/table.tsx';
import { Text } from '../../parts/text.tsx';
import { Time } from '../../parts/time.tsx';
import { ToldLink } from '../../parts/told-link.tsx';
import type { ParamsOf } from '../route.ts';

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
            cell: ({ moment_number: moment }) => <ToldLink org={org} event={{ flow, trail, moment }} />,
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
