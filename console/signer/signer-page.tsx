import { useAnswer } from '../client/live.ts';
import { SentenceOf } from '../environment/sentence-of.tsx';
import { paginationOf } from '../model/pages.ts';
import { Writes } from '../parts/form/writes.tsx';
import { TrustRootLink } from '../parts/link/signer-links.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Panel, Waiting } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { VersionTable } from '../parts/table/version-table.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import { savedFacts } from './head-facts.tsx';
import { PUBLIC_ROOT } from './model/public-root.ts';
import { recallsOf } from './model/recalls.ts';
import { identityText, SIGNER_FIELDS, signerSentence } from './model/signers.ts';
import type { Signer } from './operations.ts';
import { newRecall } from './recall-forms.ts';
import { RecalledBy } from './recalled-by.tsx';
import { readRecalls, readSigner, readSignerVersions, readTrustRoot, type signerRoute } from './routes.ts';
import { signerWrites } from './signer-forms.ts';

type Props = PageProps<typeof signerRoute>;

/** A signer: whose signatures are its own, what recalls it, and how it changed. */
export default function SignerPage({ params, search }: Props) {
  const { org } = params;
  const signer = useAnswer(readSigner(org, params.signer));
  const { recalls } = useAnswer(readRecalls(org));
  const { name, trust_root: root, issuer, description } = signer;
  const isRecalled = recallsOf(recalls, { signer: name }).length > 0;
  return (
    <>
      <VerdictLine
        kind="Signer"
        subject={name}
        context={org}
        state={isRecalled ? 'recalled' : signer.deleted ? 'deleted' : undefined}
        sentence={
          <SentenceOf otherwise={signerSentence(signer, false)}>
            {root === PUBLIC_ROOT ? (
              <Text>{signerSentence(signer, false)}</Text>
            ) : (
              <Sentence org={org} signer={signer} />
            )}
          </SentenceOf>
        }
        description={description ?? ''}
        actions={
          <Writes org={org} writes={[...signerWrites(org, signer), newRecall(org, recalls, { signer: name })]} />
        }
        facts={savedFacts(signer)}
      />
      <Waiting rows={2}>
        <RecalledBy org={org} signer={name} />
      </Waiting>
      <Panel title="Identity" note={issuer === null ? 'a key names nobody' : 'what a certificate has to say'}>
        <KeyValues
          rows={[
            ['Trust root', <TrustRootLink key="root" org={org} name={root} />],
            ['Issuer', issuer === null ? null : <Text key="issuer">{issuer}</Text>],
            [
              'Identity',
              <Text key="identity" lines>
                {identityText(signer) || 'the holder of the private key of the trust root'}
              </Text>,
            ],
          ]}
        />
      </Panel>
      <Panel title="Versions" note="the newest first, with what each changed">
        <Versions params={params} search={search} />
      </Panel>
      <Raw value={signer} path={`/signers/${org}/${name}`} />
    </>
  );
}

/** A signer verifies nothing without its trust root. */
const Sentence = ({ org, signer }: { org: string; signer: Signer }) => (
  <Text>{signerSentence(signer, useAnswer(readTrustRoot(org, signer.trust_root)).deleted)}</Text>
);

function Versions({ params, search: { page } }: Props) {
  const answer = useAnswer(readSignerVersions(params.org, params.signer, page));
  return (
    <>
      <VersionTable caption="Versions of the signer" versions={answer.versions} fields={SIGNER_FIELDS} />
      <Pager pagination={paginationOf(answer)} page="signer" params={params} />
    </>
  );
}
