import { useAnswer } from '../../../client/live.ts';
import { Code } from '../../../parts/text/code.tsx';
import { State } from '../../../parts/text/state.tsx';
import { Text } from '../../../parts/text/text.tsx';
import type { FailedTest } from '../model/junit-file.ts';
import { failedTests } from '../model/preview.ts';
import { Bounded } from './bounded.tsx';
import { Folded } from './folded.tsx';
import { type FilePlace, readPreview } from './read-preview.ts';
import { Notice } from './view.tsx';
import styles from './views.module.css';

/** The tests that failed, with their messages, from the file that the client attached. */
export function FailedTests({ place, stated }: { place: FilePlace; stated: number }) {
  const { tests, note } = failedTests(useAnswer(readPreview(place)), stated);
  return (
    <>
      {tests.length > 0 && (
        <Bounded
          rows={tests}
          textOf={({ name, place: where, message }) => [name, where, message].join(' ')}
          what="failed tests"
        >
          {(test) => <Failed test={test} />}
        </Bounded>
      )}
      {note !== '' && <Notice>{note}</Notice>}
    </>
  );
}

const Failed = ({ test: { name, place, outcome, message, details } }: { test: FailedTest }) => (
  <div className={styles['item']}>
    <div className={styles['line']}>
      <State state="non-compliant">{outcome === 'error' ? 'Error' : 'Failed'}</State>
      <span className={styles['name']}>
        <Text>{name}</Text>
      </span>
      {place !== null && (
        <span className={styles['quiet']}>
          <Text>{place}</Text>
        </span>
      )}
    </div>
    {message !== null && <Text lines>{message}</Text>}
    {details !== '' && (
      <Folded summary="Details">
        <Code what="Details of the failure" wrap>
          {details}
        </Code>
      </Folded>
    )}
  </div>
);
