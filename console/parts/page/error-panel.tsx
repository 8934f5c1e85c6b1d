import { ApiProblem } from '../../client/api-problem.ts';
import { MissingFile } from '../../client/new-version.ts';
import { remedyFor, remedyForWrite } from '../../model/remedies.ts';
import { Button } from '../control/button.tsx';
import { Id } from '../text/id.tsx';
import { Text } from '../text/text.tsx';
import styles from './error-panel.module.css';

interface ErrorPanelProps {
  error: unknown;
  /** Whether a write failed. By default it is a read. */
  isWrite?: boolean;
  /** Reads again. */
  retry?: () => void;
  /** Links that may help: search, the list that the record would be in. */
  children?: React.ReactNode;
}

/** Why there is no answer: the API's own sentence, what the reader can do, and the id of the request. */
export function ErrorPanel({ error, isWrite = false, retry, children }: ErrorPanelProps) {
  if (error instanceof MissingFile) return <Missing sentence={error.message} />;
  const problem = error instanceof ApiProblem ? error : null;
  return (
    <div className={styles['panel']} role="alert">
      <p className={styles['sentence']}>
        <Text>{problem?.message ?? 'This part of the console failed. The service and its data are not affected.'}</Text>
      </p>
      {problem && problem.fields.size > 0 && (
        <ul className={styles['fields']}>
          {[...problem.fields].map(([field, reason]) => (
            <li key={field}>
              <code>{field}</code>: <Text>{reason}</Text>
            </li>
          ))}
        </ul>
      )}
      <p className={styles['quiet']}>{problem ? (isWrite ? remedyForWrite : remedyFor)(problem) : String(error)}</p>
      {children}
      {retry && (problem === null || problem.passes) && <Button onClick={retry}>Try again</Button>}
      {problem?.requestId != null && (
        <p className={styles['quiet']}>
          Request <Id what="request id">{problem.requestId}</Id>
        </p>
      )}
    </div>
  );
}

/** A part of the page needs a file that did not come. */
const Missing = ({ sentence }: { sentence: string }) => (
  <div className={styles['panel']} role="alert">
    <p className={styles['sentence']}>{sentence}</p>
    <Button onClick={() => location.reload()}>Reload</Button>
  </div>
);
