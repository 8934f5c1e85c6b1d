import { changeText, diffLines, nearChanges } from '../model/diff.ts';
import { Code } from '../parts/text/code.tsx';
import { Diff } from '../parts/text/diff.tsx';
import { Text } from '../parts/text/text.tsx';
import styles from './draft.module.css';
import type { Draft } from './operations.ts';

/** One field that a draft would write, beside what is there now. The agent chose the proposed text. */
export function Change({ change: { field, present, proposed } }: { change: Draft['changes'][number] }) {
  return (
    <section className={styles['change']} aria-label={field}>
      <h3 className={styles['field']}>{field}</h3>
      {isLong(present) || isLong(proposed) ? (
        <LongChange field={field} present={present} proposed={proposed ?? ''} />
      ) : (
        <dl className={styles['sides']}>
          <dt>Now</dt>
          <dd>{present === null ? <span className={styles['quiet']}>nothing</span> : <Text lines>{present}</Text>}</dd>
          <dt>Proposed</dt>
          <dd className={styles['foreign']}>
            {proposed === null ? <span className={styles['quiet']}>nothing</span> : <Text lines>{proposed}</Text>}
          </dd>
        </dl>
      )}
    </section>
  );
}

/** A text of several lines is compared line by line. */
const isLong = (text: string | null): boolean => text?.trimEnd().includes('\n') ?? false;

function LongChange({ field, present, proposed }: { field: string; present: string | null; proposed: string }) {
  if (present === null) {
    return (
      <div className={styles['foreign']}>
        <Code what={`${field}, new`} numbers>
          {proposed.trimEnd()}
        </Code>
      </div>
    );
  }
  const lines = diffLines(present, proposed);
  return (
    <div className={styles['foreign']}>
      <Diff caption={changeText(lines)} lines={nearChanges(lines)} />
    </div>
  );
}
