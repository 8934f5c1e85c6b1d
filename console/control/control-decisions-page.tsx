import { useAnswer } from '../client/live.ts';
import { Waiting } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import { Filters, SelectFilter } from '../parts/table/filters.tsx';
import type { PageProps } from '../routes/route.ts';
import { ControlHead } from './control-head.tsx';
import { Decisions } from './decisions.tsx';
import { readDecisions } from './reads.ts';
import type { controlDecisionsRoute } from './routes.ts';

type Props = PageProps<typeof controlDecisionsRoute>;

/** All decisions about a control. */
export default function ControlDecisionsPage({ params, search }: Props) {
  return (
    <>
      <ControlHead params={params} current="control-decisions" />
      <Filters label="Filter the decisions">
        <SelectFilter
          label="Result"
          name="result"
          value={search.result}
          options={[
            ['true', 'compliant'],
            ['false', 'not compliant'],
          ]}
        />
      </Filters>
      <Waiting rows={8}>
        <Decisions params={params} search={search} />
        <Rest params={params} search={search} />
      </Waiting>
    </>
  );
}

function Rest({ params, search }: Props) {
  const answer = useAnswer(readDecisions(params, search));
  return (
    <>
      <CursorPager
        next={'next_cursor' in answer ? answer.next_cursor : null}
        page="control-decisions"
        params={params}
        search={search}
      />
      <Raw value={answer} path={`/attestations/${params.org}?control=${encodeURIComponent(params.control)}`} />
    </>
  );
}
