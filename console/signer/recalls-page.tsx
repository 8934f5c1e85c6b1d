import { useAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import type { PageProps } from '../routes/route.ts';
import { BY_NAME } from './model/lists.ts';
import { recallListSentence } from './model/recalls.ts';
import { newRecall } from './recall-forms.ts';
import { RecallTable } from './recall-table.tsx';
import { readRecalls, type recallsRoute } from './routes.ts';
import { SignerTabs } from './signer-tabs.tsx';

/** What is not to be trusted any more, and why. */
export default function RecallsPage({ params, search }: PageProps<typeof recallsRoute>) {
  const { org } = params;
  const answer = useAnswer(readRecalls(org, search.cursor));
  const { recalls: all, next_cursor: next } = answer;
  return (
    <>
      <VerdictLine
        subject="Recalls"
        context={org}
        sentence={recallListSentence(all)}
        actions={<Writes org={org} writes={[newRecall(org, all)]} />}
      />
      <SignerTabs org={org} current="recalls" />
      {all.length === 0 ? (
        <Empty
          sentence="A signature stays valid when its key was stolen."
          remedy="A recall says which signatures are not to be trusted: those of a signer, a run, a builder, a trust root or a key, or single bundles."
          commands={[
            {
              what: 'curl',
              text: `curl -X PUT ${location.origin}/api/v2/recalls/${org}/stolen-key \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"signer":"SIGNER","reason":"The key was stolen"}'`,
            },
          ]}
        />
      ) : (
        <Panel title="Recalls" note="by name">
          <RecallTable org={org} caption="Recalls" recalls={all} />
        </Panel>
      )}
      <CursorPager next={next} page="recalls" params={params} search={search} labels={BY_NAME} />
      <Raw value={answer} path={`/recalls/${org}`} />
    </>
  );
}
