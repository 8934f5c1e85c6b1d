import { useAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { CursorPager } from '../parts/table/cursor-pager.tsx';
import type { PageProps } from '../routes/route.ts';
import { BY_NAME } from './model/lists.ts';
import { PUBLIC_ROOT } from './model/public-root.ts';
import { signerListSentence } from './model/signers.ts';
import type { Signer } from './operations.ts';
import { readRecalls, readSigners, type signersRoute } from './routes.ts';
import { newSigner } from './signer-forms.ts';
import { SignerTable } from './signer-table.tsx';
import { SignerTabs } from './signer-tabs.tsx';

/** Whose signatures count. */
export default function SignersPage({ params, search }: PageProps<typeof signersRoute>) {
  const { org } = params;
  const answer = useAnswer(readSigners(org, search.cursor));
  const { signers: all, next_cursor: next } = answer;
  const [active, deleted] = [false, true].map((isDeleted) => all.filter((one) => one.deleted === isDeleted));
  return (
    <>
      <VerdictLine
        subject="Signers"
        context={org}
        sentence={signerListSentence(all)}
        actions={<Writes org={org} writes={[newSigner(org, all)]} />}
      />
      <SignerTabs org={org} current="signers" />
      {active?.length === 0 ? (
        <Empty
          sentence="A signature proves who made evidence only if somebody said whose signatures count."
          remedy="Name the workflow that signs, or the public key. A policy can then ask for evidence that it signed."
          commands={[
            {
              what: 'curl',
              text: `curl -X PUT ${location.origin}/api/v2/signers/${org}/release \\\n  -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\\n  -d '{"trust_root":"${PUBLIC_ROOT}","issuer":"https://token.actions.githubusercontent.com","claims":{"source_repository_uri":"https://github.com/OWNER/REPOSITORY"}}'`,
            },
          ]}
        />
      ) : (
        <Panel title="Signers" note="by name">
          <Known org={org} caption="Signers" signers={active ?? []} />
        </Panel>
      )}
      {deleted && deleted.length > 0 && (
        <Panel title="Deleted" note="they verify nothing any more">
          <Known org={org} caption="Deleted signers" signers={deleted} />
        </Panel>
      )}
      <CursorPager next={next} page="signers" params={params} search={search} labels={BY_NAME} />
      <Raw value={answer} path={`/signers/${org}`} />
    </>
  );
}

/** Whether one of them is recalled is another answer. */
const Known = (props: { org: string; caption: string; signers: readonly Signer[] }) => (
  <SignerTable {...props} recalls={useAnswer(readRecalls(props.org)).recalls} />
);
