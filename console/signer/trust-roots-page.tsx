import { useAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { PageLink } from '../parts/link/link.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import { Table } from '../parts/table/table.tsx';
import { Id } from '../parts/text/id.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { BY_NAME } from './model/lists.ts';
import { PUBLIC_ROOT } from './model/public-root.ts';
import { recallsOf } from './model/recalls.ts';
import { kindText, trustRootListSentence } from './model/trust-roots.ts';
import type { TrustRoot } from './operations.ts';
import { readRecalls, readTrustRoots, type trustRootsRoute } from './routes.ts';
import { SignerTabs } from './signer-tabs.tsx';
import { newTrustRoot } from './trust-root-forms.ts';

/** What signatures are verified with. */
export default function TrustRootsPage({ params, search }: PageProps<typeof trustRootsRoute>) {
  const { org } = params;
  const answer = useAnswer(readTrustRoots(org, search.cursor));
  const { trust_roots: all, next_cursor: next } = answer;
  return (
    <>
      <VerdictLine
        subject="Trust roots"
        context={org}
        sentence={trustRootListSentence(all)}
        description={`${PUBLIC_ROOT} comes with the service: nobody has to save it. Own authorities, and public keys, are trusted when they are here.`}
        actions={<Writes org={org} writes={[newTrustRoot(org, all)]} />}
      />
      <SignerTabs org={org} current="trust-roots" />
      {all.length === 0 ? (
        <Empty
          sentence="There is no trust root of your own."
          remedy="A person or a tool that signs with a key has the public key too. Save the public key here, and name it in a signer."
          commands={[
            {
              what: 'curl',
              text: `jq -Rs '{kind: "public-key", public_key: .}' cosign.pub | curl -X PUT ${location.origin}/api/v2/trust-roots/${org}/release-key \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d @-`,
            },
          ]}
        />
      ) : (
        <Panel title="Trust roots" note="by name">
          <Known org={org} roots={all} />
        </Panel>
      )}
      <CursorPager next={next} page="trust-roots" params={params} search={search} labels={BY_NAME} />
      <Raw value={answer} path={`/trust-roots/${org}`} />
    </>
  );
}

function Known({ org, roots }: { org: string; roots: readonly TrustRoot[] }) {
  const { recalls } = useAnswer(readRecalls(org));
  return (
    <Table
      caption="Trust roots"
      rows={roots}
      keyOf={({ name }) => name}
      isUnreadable={({ unreadable }) => unreadable === true}
      columns={[
        {
          head: 'Trust root',
          cell: ({ name, deleted }) => (
            <>
              <PageLink page="trust-root" params={{ org, root: name }} strong row>
                <Text>{name}</Text>
              </PageLink>{' '}
              {deleted && <State state="deleted" />}{' '}
              {recallsOf(recalls, { root: name }).length > 0 && <State state="recalled" />}
            </>
          ),
        },
        { head: 'Kind', fit: true, cell: ({ kind }) => kindText(kind) },
        { head: 'Version', fit: true, align: 'end', cell: ({ version }) => version },
        {
          head: 'SHA-256',
          fit: true,
          cell: ({ digest }) => (
            <Id what="SHA-256 of the text" short plain>
              {digest}
            </Id>
          ),
        },
        { head: 'About', wide: true, cell: ({ description }) => <Text>{description}</Text> },
        { head: 'Changed', fit: true, cell: ({ changed_at: at }) => <Time at={at} show="ago" /> },
      ]}
    />
  );
}
