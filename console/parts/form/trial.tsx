import { useEffect, useRef, useState } from 'react';
import { ApiProblem } from '../../client/api-problem.ts';
import { askToSignIn } from '../../client/query-client.ts';
import { Button } from '../control/button.tsx';
import { Text } from '../text/text.tsx';
import styles from './form-dialog.module.css';
import { findProblems, placeErrors, type Values, type Write } from './model/forms.ts';

interface TrialProps {
  write: Write;
  values: Values;
  /** Shows what is wrong at the fields, as after a write. */
  onRefused: (problems: ReadonlyMap<string, string>, failure?: ApiProblem) => void;
}

const NONE: ReadonlyMap<string, string> = new Map();

/** A button that asks what the write would lead to, and the answer. The answer is about these values: others get a new part. */
export function Trial({ write, values, onRefused }: TrialProps) {
  const { trial } = write;
  const [lines, setLines] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const answer = useRef<HTMLDivElement>(null);
  // Below the field lie the buttons of the form, which stay at its lower edge.
  useEffect(() => {
    if (lines.length > 0) answer.current?.scrollIntoView({ block: 'nearest' });
  }, [lines]);
  if (!trial) return null;
  const { button, leavesOut = [], run } = trial;
  const ask = async (): Promise<void> => {
    if (isBusy) return;
    const missing = new Map([...findProblems(write, values)].filter(([name]) => !leavesOut.includes(name)));
    onRefused(missing);
    if (missing.size > 0) return;
    setBusy(true);
    try {
      setLines(await run(values));
      onRefused(NONE);
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      if (error.status === 401) askToSignIn();
      onRefused(placeErrors(write, values, error.fields), error);
    } finally {
      setBusy(false);
    }
  };
  const [sentence, ...others] = lines;
  return (
    <div className={styles['field']}>
      <div>
        <Button onClick={() => void ask()} aria-disabled={isBusy}>
          {isBusy ? 'Asking …' : button}
        </Button>
      </div>
      <div ref={answer} className={styles['answer']} role="status">
        {sentence !== undefined && (
          <>
            <p>
              <strong>
                <Text>{sentence}</Text>
              </strong>
            </p>
            <ul>
              {others.map((text) => (
                <li key={text} className={styles['note']}>
                  <Text>{text}</Text>
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </div>
  );
}
