import { lazy, useState } from 'react';
import { loadChunk } from '../client/new-version.ts';
import { Button } from '../parts/control/button.tsx';
import { Panel, Waiting } from '../parts/page/panel.tsx';
import type { ShownRecord } from './model/shown-record.ts';
import styles from './proof.module.css';

/** Few readers ask for the check, so what computes it is loaded when one does. */
const Verified = lazy(() => loadChunk(() => import('./verified.tsx')));

/** A button that computes in this browser whether the record on the page is the one in the log. */
export function LogProof({ record }: { record: ShownRecord }) {
  const [isAsked, setAsked] = useState(false);
  if (!isAsked) return <Button onClick={() => setAsked(true)}>Verify against the log</Button>;
  return (
    <Waiting rows={4}>
      <Verified record={record} />
    </Waiting>
  );
}

/** The same as a part of a page. @param of what the receipt is of: «the snapshot» */
export const LogPanel = ({ record, of }: { record: ShownRecord; of: string }) => (
  <div className={styles['panel']}>
    <Panel title="In the log" note={`computed by this browser from the receipt of ${of}`}>
      <LogProof record={record} />
    </Panel>
  </div>
);
