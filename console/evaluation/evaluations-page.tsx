import { useLiveAnswer } from '../client/live.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { evaluationListSentence, evaluationSentence, evaluationState } from './model/evaluations.ts';
import { type evaluationsRoute, readEvaluations } from './routes.ts';

/** The runs of policy programs, the newest first. */
export default function EvaluationsPage({ params, search }: PageProps<typeof evaluationsRoute>) {
  const { org } = params;
  const answer = useLiveAnswer(readEvaluations(org, search.page), ({ evaluations }) =>
    evaluations.some(({ status }) => status === 'pending') ? 3 : 30,
  );
  const { evaluations, page, per_page, total_count: total, total_pages: page_count } = answer;
  return (
    <>
      <VerdictLine subject="Evaluations" context={org} sentence={evaluationListSentence(evaluations, total)} />
      {evaluations.length === 0 ? (
        <Empty
          sentence="An evaluation runs a policy program on trails and keeps digests of all its input."
          remedy="Put the program into policy.rego, and name the trails that it judges."
          commands={[
            {
              what: 'curl',
              text: `curl ${location.origin}/api/v2/evaluations/${org} -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{\n  "context": {"trails": [{"flow": "FLOW", "trail": "TRAIL"}]},\n  "policy": {"files": {"policy.rego": "package policy\\n\\ndefault allow := false\\n\\nallow if input.trail.is_compliant\\n"}}}'`,
            },
          ]}
        />
      ) : (
        <Table
          caption="Evaluations, the newest first"
          rows={evaluations}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Evaluation',
              fit: true,
              cell: ({ id }) => (
                <PageLink page="evaluation" params={{ org, evaluation: id }} strong row>
                  <Id what="id" short plain>
                    {id}
                  </Id>
                </PageLink>
              ),
            },
            { head: 'Verdict', fit: true, cell: (one) => <State state={evaluationState(one)} /> },
            { head: 'Reason', wide: true, cell: (one) => <Text>{evaluationSentence(one)}</Text> },
            { head: 'Asked for', fit: true, cell: ({ requested_at: at }) => <Time at={at} /> },
            { head: 'By', fit: true, cell: ({ requested_by: by }) => <Text>{by}</Text> },
            {
              head: 'Decision',
              fit: true,
              cell: ({ decision_attestation_id: id }) => (id === null ? 'not recorded' : 'recorded'),
            },
          ]}
        />
      )}
      <Pager pagination={{ page, per_page, total, page_count }} page="evaluations" params={params} />
      <Raw value={answer} path={`/evaluations/${org}?per_page=50`} />
    </>
  );
}
