import { useAnswer } from '../client/live.ts';
import { SentenceOf } from '../environment/sentence-of.tsx';
import { paginationOf } from '../model/pages.ts';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel, Waiting } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { VersionTable } from '../parts/table/version-table.tsx';
import { Code } from '../parts/text/code.tsx';
import { Id } from '../parts/text/id.tsx';
import type { PageProps } from '../routes/route.ts';
import { savedFacts } from './head-facts.tsx';
import { recallsOf } from './model/recalls.ts';
import { kindText, TRUST_ROOT_FIELDS, textOf, trustRootSentence } from './model/trust-roots.ts';
import type { TrustRoot } from './operations.ts';
import { newRecall } from './recall-forms.ts';
import { RecalledBy } from './recalled-by.tsx';
import { readRecalls, readSigners, readTrustRoot, readTrustRootVersions, type trustRootRoute } from './routes.ts';
import { SignerTable } from './signer-table.tsx';
import { trustRootWrites } from './trust-root-forms.ts';

type Props = PageProps<typeof trustRootRoute>;

/** A trust root: its text, the signers that it verifies, and how it changed. */
export default function TrustRootPage({ params, search }: Props) {
  const { org } = params;
  const root = useAnswer(readTrustRoot(org, params.root));
  const { recalls } = useAnswer(readRecalls(org));
  const { name, kind, digest, description } = root;
  const isRecalled = recallsOf(recalls, { root: name }).length > 0;
  const beginning = { root: { name, version: null } };
  return (
    <>
      <VerdictLine
        kind="Trust root"
        subject={name}
        context={org}
        state={isRecalled ? 'recalled' : root.deleted ? 'deleted' : undefined}
        sentence={
          <SentenceOf otherwise="Whose signatures it verifies is not known.">
            <Sentence org={org} root={root} />
          </SentenceOf>
        }
        description={description ?? ''}
        actions={<Writes org={org} writes={[...trustRootWrites(org, root), newRecall(org, recalls, beginning)]} />}
        facts={savedFacts(root)}
      />
      <Waiting rows={2}>
        <RecalledBy org={org} root={name} />
      </Waiting>
      <Panel title="Signers" note="that name it">
        <Users org={org} root={name} />
      </Panel>
      <Panel
        title={kind === 'public-key' ? 'Public key' : 'Text'}
        note={
          <>
            {kindText(kind)}, SHA-256{' '}
            <Id what="SHA-256 of the text" short>
              {digest}
            </Id>
          </>
        }
      >
        <Code what={kind === 'public-key' ? 'PEM' : 'trusted_root.json'} wrap>
          {textOf(root).trimEnd()}
        </Code>
      </Panel>
      <Panel title="Versions" note="the newest first, with what each changed">
        <Versions params={params} search={search} />
      </Panel>
      <Raw value={root} path={`/trust-roots/${org}/${name}`} />
    </>
  );
}

const useUsers = (org: string, root: string) =>
  useAnswer(readSigners(org)).signers.filter(({ trust_root: used }) => used === root);

const Sentence = ({ org, root }: { org: string; root: TrustRoot }) => trustRootSentence(root, useUsers(org, root.name));

function Users({ org, root }: { org: string; root: string }) {
  const signers = useUsers(org, root);
  const { recalls } = useAnswer(readRecalls(org));
  if (signers.length === 0) {
    return <Empty sentence="No signer names it." remedy="It verifies nothing until a signer names it." />;
  }
  return <SignerTable org={org} caption="Signers that name the trust root" signers={signers} recalls={recalls} />;
}

function Versions({ params, search: { page } }: Props) {
  const answer = useAnswer(readTrustRootVersions(params.org, params.root, page));
  return (
    <>
      <VersionTable caption="Versions of the trust root" versions={answer.versions} fields={TRUST_ROOT_FIELDS} />
      <Pager pagination={paginationOf(answer)} page="trust-root" params={params} />
    </>
  );
}
