import { useAnswer } from '../../client/live.ts';
import { read } from '../../client/query-client.ts';
import { trailMoments } from '../../client/trails.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { ParamsOf } from '../route.ts';

/** The numbered moments of the trail. */
export function Moments({ params: { org, flow, trail } }: { params: ParamsOf<'trail'> }) {
  const { moments } = useAnswer(read(trailMoments, { org, flow_name: flow, trail_name: trail }, { per_page: 100 }));
  return (
    <Table
      caption="Moments of the trail"
      rows={moments}
      keyOf={({ moment_number: number }) => String(number)}
      columns={[
        { head: 'Moment', fit: true, cell: ({ moment_number: number }) => `#${number}` },
        { head: 'When', cell: ({ created_at: at }) => <Time at={at} show="full" /> },
      ]}
    />
  );
}
