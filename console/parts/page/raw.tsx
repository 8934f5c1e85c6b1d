import { useState } from 'react';
import { curlOf } from '../../model/commands.ts';
import { Icon } from '../control/icons.tsx';
import { Code } from '../text/code.tsx';
import { Json } from '../text/json.tsx';
import styles from './raw.module.css';

interface RawProps {
  /** The answer of the API that the page shows. */
  value: unknown;
  /** Path below `/api/v2` that answers it. */
  path: string;
}

/** The answer behind a page and the call that reads it, folded. It is the last thing on a page. */
export function Raw({ value, path }: RawProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles['raw']} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Raw answer and curl <Icon name="down" />
      </summary>
      {isOpen && (
        <div className={styles['body']}>
          <Code what="curl" wrap>
            {curlOf(location.origin, `/api/v2${path}`)}
          </Code>
          <Json value={value} what="Answer" />
        </div>
      )}
    </details>
  );
}
