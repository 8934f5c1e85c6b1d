import { useAnswer } from '../client/live.ts';
import { paginationOf } from '../model/pages.ts';
import { Writes } from '../parts/form/writes.tsx';
import { OutLink } from '../parts/link/link.tsx';
import { SignerLink, TrustRootLink } from '../parts/link/signer-links.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Pager } from '../parts/table/pager.tsx';
import { VersionTable } from '../parts/table/version-table.tsx';
import { Id } from '../parts/text/id.tsx';
import { Text } from '../parts/text/text.tsx';
import type { PageProps } from '../routes/route.ts';
import { savedFacts } from './head-facts.tsx';
import { Impact } from './impact.tsx';
import { periodText, RECALL_FIELDS, recallSentence } from './model/recalls.ts';
import type { Recall } from './operations.ts';
import { recallWrites } from './recall-forms.ts';
import { readRecall, readRecallVersions, type recallRoute } from './routes.ts';

type Props = PageProps<typeof recallRoute>;

/** A recall: which signatures are not to be trusted, why, and how it changed. */
export default function RecallPage({ params, search }: Props) {
  const { org } = params;
  const recall = useAnswer(readRecall(org, params.recall));
  return (
    <>
      <VerdictLine
        kind="Recall"
        subject={recall.name}
        context={org}
        state={recall.deleted ? 'deleted' : 'recalled'}
        sentence={<Text>{recallSentence(recall)}</Text>}
        description={recall.reason}
        actions={<Writes org={org} writes={recallWrites(org, recall)} />}
        facts={savedFacts(recall)}
      />
      <Panel title="What is recalled">
        <What org={org} recall={recall} />
      </Panel>
      <Panel
        title="What it concerns"
        note={recall.deleted ? 'what it would concern if it were not deleted' : 'it does not count any more'}
      >
        <Impact params={params} search={search} />
      </Panel>
      <Panel title="Versions" note="the newest first, with what each changed">
        <Versions params={params} search={search} />
      </Panel>
      <Raw value={recall} path={`/recalls/${org}/${recall.name}`} />
    </>
  );
}

function What({ org, recall }: { org: string; recall: Recall }) {
  const { signer, run, builder, root, key, bundles } = recall;
  return (
    <KeyValues
      rows={[
        ['Signer', signer !== null && <SignerLink key="signer" org={org} name={signer} />],
        ['Run', run !== null && <OutLink key="run" href={run} />],
        ['Builder', builder !== null && <Text key="builder">{builder}</Text>],
        [
          'Trust root',
          root !== null && (
            <span key="root">
              <TrustRootLink org={org} name={root.name} />
              {root.version === null ? ', every version' : `, version ${root.version}`}
            </span>
          ),
        ],
        [
          'Public key',
          key !== null && (
            <Id key="key" what="SHA-256 of the public key">
              {key}
            </Id>
          ),
        ],
        ...(bundles ?? []).map(
          (digest, n) =>
            [
              `Bundle ${n + 1}`,
              <Id key={digest} what="SHA-256 of the bundle">
                {digest}
              </Id>,
            ] as const,
        ),
        ['Signed', periodText(recall)],
      ]}
    />
  );
}

function Versions({ params, search: { page } }: Props) {
  const answer = useAnswer(readRecallVersions(params.org, params.recall, page));
  return (
    <>
      <VersionTable caption="Versions of the recall" versions={answer.versions} fields={RECALL_FIELDS} />
      <Pager pagination={paginationOf(answer)} page="recall" params={params} />
    </>
  );
}
