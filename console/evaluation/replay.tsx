import { useState } from 'react';
import { useMay } from '../account/user.ts';
import { ApiProblem } from '../client/api-problem.ts';
import { call } from '../client/call.ts';
import { Button } from '../parts/control/button.tsx';
import { ErrorPanel } from '../parts/page/error-panel.tsx';
import { Code } from '../parts/text/code.tsx';
import { Json } from '../parts/text/json.tsx';
import { State } from '../parts/text/state.tsx';
import { Time } from '../parts/text/time.tsx';
import type { ParamsOf } from '../routes/params.ts';
import styles from './evaluation.module.css';
import { replaySentence } from './model/evaluations.ts';
import { type Replay as ReplayAnswer, replayEvaluation } from './operations.ts';

/** Runs the program again. A replay stores nothing, so nobody is asked before it. */
export function Replay({
  params: { org, evaluation },
  hasProof,
}: {
  params: ParamsOf<'evaluation'>;
  hasProof: boolean;
}) {
  const may = useMay(org, 'member');
  const [answer, setAnswer] = useState<ReplayAnswer>();
  const [problem, setProblem] = useState<ApiProblem>();
  const [isBusy, setBusy] = useState(false);
  if (!hasProof) return null;
  const run = async (): Promise<void> => {
    setBusy(true);
    setProblem(undefined);
    try {
      setAnswer(await call(replayEvaluation, { org, evaluation_id: evaluation }, {}));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={styles['replay']}>
      {may ? (
        <Button icon="refresh" disabled={isBusy} onClick={() => void run()}>
          {isBusy ? 'Running' : 'Replay'}
        </Button>
      ) : (
        <Code what="A member of the organization can replay it" wrap>
          {`curl -X POST ${location.origin}/api/v2/evaluations/${org}/${evaluation}/replay -H "Authorization: Bearer $KEY"`}
        </Code>
      )}
      <div role="status">
        {answer && (
          <p>
            <State state={answer.identical ? 'compliant' : 'non-compliant'}>{replaySentence(answer)}</State>{' '}
            <span className={styles['quiet']}>
              <Time at={answer.replayed_at} show="full" />
            </span>
          </p>
        )}
      </div>
      {answer && !answer.identical && <Json value={answer} what="Outcome of the replay" />}
      {problem && <ErrorPanel error={problem} />}
    </div>
  );
}
