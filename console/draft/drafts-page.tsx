import { useLiveAnswer } from '../client/live.ts';
import { read } from '../client/query-client.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Table } from '../parts/table/table.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { agentName, draftListSentence, KIND_WORDS } from './model/drafts.ts';
import { drafts } from './operations.ts';
import type { draftsRoute } from './routes.ts';

/** The drafts that wait for the decision of the reader. */
export default function DraftsPage({ params }: PageProps<typeof draftsRoute>) {
  const { org } = params;
  const answer = useLiveAnswer(read(drafts, params), 30);
  const { drafts: open } = answer;
  return (
    <>
      <VerdictLine subject="Drafts" context={org} sentence={draftListSentence(open)} />
      {open.length === 0 ? (
        <Empty
          sentence="An agent can propose an attestation, an override, a version of a policy or an expectation."
          remedy="What it proposes stands here for an hour. You read what would change, and confirm or discard it."
        />
      ) : (
        <Table
          caption="Drafts of agents"
          rows={open}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Draft',
              cell: ({ id, subject }) => (
                <PageLink page="draft" params={{ org, draft: id }} strong row>
                  <Text>{subject}</Text>
                </PageLink>
              ),
            },
            { head: 'Would write', fit: true, cell: ({ kind }) => KIND_WORDS[kind] },
            { head: 'Drafted by', cell: (one) => <Text>{agentName(one)}</Text> },
            { head: 'For', cell: ({ drafted_by: by }) => <Text>{by}</Text> },
            { head: 'When', fit: true, cell: ({ drafted_at: at }) => <Time at={at} /> },
            { head: 'Until', fit: true, cell: ({ expires_at: at }) => <Time at={at} /> },
          ]}
        />
      )}
      <Raw value={answer} path={`/drafts/${org}`} />
    </>
  );
}
