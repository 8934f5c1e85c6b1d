import { useLiveAnswer } from '../client/live.ts';
import { DownloadEvidence } from '../package/download-evidence.tsx';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Id } from '../parts/text/id.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import { Author } from '../people/author.tsx';
import { LogPanel } from '../proof/log-proof.tsx';
import type { PageProps } from '../routes/route.ts';
import styles from './evaluation.module.css';
import { Explanation } from './explanation.tsx';
import { evaluationSentence, evaluationState } from './model/evaluations.ts';
import type { Evaluation } from './operations.ts';
import { Replay } from './replay.tsx';
import { DecisionOf, Program, Trails } from './request.tsx';
import { type evaluationRoute, readEvaluation } from './routes.ts';

/** Seconds between two reads while the program runs, and afterwards. */
const PENDING = 1;
const DONE = 60;

/** One run of a policy program: verdict, violations, what it was asked for, and the proof of it. */
export default function EvaluationPage({ params, search }: PageProps<typeof evaluationRoute>) {
  const evaluation = useLiveAnswer(readEvaluation(params), ({ status }) => (status === 'pending' ? PENDING : DONE));
  return (
    <>
      <VerdictLine
        kind="Evaluation"
        subject={evaluation.id.slice(0, 13)}
        context="evaluation"
        state={evaluationState(evaluation)}
        sentence={<Text>{evaluationSentence(evaluation)}</Text>}
        actions={<DownloadEvidence org={params.org} scope={{ type: 'evaluation', evaluation: evaluation.id }} />}
        facts={[
          <span key="asked">
            asked for <Time at={evaluation.requested_at} /> by{' '}
            <Author name={evaluation.requested_by} identity={evaluation.identity ?? null} />
          </span>,
          <span key="as-of">
            trails as they were on <Time at={evaluation.recorded_at} show="full" />
          </span>,
        ]}
      />
      <Violations evaluation={evaluation} />
      <Explanation params={params} isAsked={search.explain === 'true'} hasProof={evaluation.proof !== null} />
      <Panel title="Judged trails" note="each up to the moment that is named" rows={2}>
        <Trails params={params} />
      </Panel>
      <Panel title="Decision" rows={1}>
        <DecisionOf params={params} id={evaluation.decision_attestation_id} />
      </Panel>
      <Panel title="Policy program" rows={6}>
        <Program params={params} />
      </Panel>
      <Panel title="Proof" note="digests of the texts that were evaluated">
        <Proof evaluation={evaluation} />
        <Replay params={params} hasProof={evaluation.proof !== null} />
      </Panel>
      {evaluation.status !== 'pending' && (
        <LogPanel record={{ kind: 'evaluation', org: params.org, evaluation }} of="the evaluation" />
      )}
      <Raw value={evaluation} path={`/evaluations/${params.org}/${evaluation.id}`} />
    </>
  );
}

function Violations({ evaluation: { result, error } }: { evaluation: Evaluation }) {
  if (error !== null) {
    return (
      <Panel title="Error" note={error.kind.replaceAll('_', ' ')}>
        <pre className={styles['error']}>
          <Text lines>{error.message}</Text>
        </pre>
      </Panel>
    );
  }
  if (result === null || result.violations.length === 0) return null;
  return (
    <Panel title="Violations" note={String(result.violations.length)}>
      <ul className={styles['violations']}>
        {result.violations.map((text, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a program may name the same violation twice
          <li key={n}>
            <Text lines>{text}</Text>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Proof({ evaluation: { proof, erased } }: { evaluation: Evaluation }) {
  if (proof === null) return <p className={styles['quiet']}>The program did not run, so there is nothing to prove.</p>;
  const digest = (value: string | null, what: string) => (value === null ? 'erased' : <Id what={what}>{value}</Id>);
  return (
    <KeyValues
      rows={[
        ['Program', digest(proof.policy_sha256, 'digest of the program')],
        ['Input', digest(proof.input_sha256, 'digest of the input')],
        ['Parameters', digest(proof.params_sha256, 'digest of the parameters')],
        ['Engine', `${proof.engine} ${proof.engine_version}`],
        ['Language', proof.language],
        ['Erased', erased && 'Some of the texts were erased. Their digests remain.'],
      ]}
    />
  );
}
