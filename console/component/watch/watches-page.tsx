import { useLiveAnswer } from '../../client/live.ts';
import { Writes } from '../../parts/form/writes.tsx';
import { PageLink } from '../../parts/link/link.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { Raw } from '../../parts/page/raw.tsx';
import { VerdictLine } from '../../parts/page/verdict-line.tsx';
import { CursorPager } from '../../parts/table/cursor-pager.tsx';
import { Table } from '../../parts/table/table.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import type { PageProps } from '../../routes/route.ts';
import { watchListSentence } from '../model/watch-case.ts';
import { readWatches, type watchesRoute } from '../routes.ts';
import { newWatch } from './forms.ts';

/** The questions about components that are asked again and again. */
export default function WatchesPage({ params, search }: PageProps<typeof watchesRoute>) {
  const { org } = params;
  const answer = useLiveAnswer(readWatches(org, search.cursor), 30);
  const { watches, next_cursor: next } = answer;
  return (
    <>
      <VerdictLine
        subject="Watches"
        context={org}
        sentence={watchListSentence(watches, next === null)}
        actions={<Writes org={org} writes={[newWatch(org, { purl: '', versions: undefined })]} />}
        facts={[
          <PageLink key="components" page="components" params={{ org }}>
            Components
          </PageLink>,
        ]}
      />
      {watches.length === 0 ? (
        <Empty
          sentence="A watch asks its question of each new SBOM and of each artifact that starts, and tells of the first match and of each new environment."
          remedy="Ask about a component and press «Watch it», or begin here."
        />
      ) : (
        <Table
          caption="Watches"
          rows={watches}
          keyOf={({ name }) => name}
          isUnreadable={({ unreadable }) => unreadable === true}
          columns={[
            {
              head: 'Watch',
              cell: ({ name }) => (
                <PageLink page="watch" params={{ org, watch: name }} strong row>
                  <Text>{name}</Text>
                </PageLink>
              ),
            },
            {
              head: 'Question',
              cell: ({ purl, versions }) => <Text>{versions === null ? purl : `${purl}, ${versions}`}</Text>,
            },
            { head: 'Vulnerability', cell: ({ vulnerability }) => <Text>{vulnerability ?? '–'}</Text> },
            { head: 'First match', fit: true, cell: ({ matched_at: at }) => <Time at={at} never="none" /> },
            { head: 'Known since', fit: true, cell: ({ known_since: at }) => <Time at={at} never="–" /> },
          ]}
        />
      )}
      <CursorPager
        next={next}
        page="watches"
        params={params}
        search={search}
        labels={{ first: 'Back to the first', next: 'More watches' }}
      />
      <Raw value={answer} path={`/watches/${org}`} />
    </>
  );
}
