import { QueryErrorResetBoundary } from '@tanstack/react-query';
import { CatchBoundary } from '@tanstack/react-router';
import { Suspense, useId } from 'react';
import { ErrorPanel } from './error-panel.tsx';
import styles from './panel.module.css';
import { Skeleton } from './skeleton.tsx';

interface PanelProps {
  title: string;
  /** A few words behind the title: a count, a period. */
  note?: React.ReactNode;
  actions?: React.ReactNode;
  /** Rows of the grey picture that is shown until the answer is there, so that nothing moves then. */
  rows?: number;
  children: React.ReactNode;
}

/**
 * A part of a page with a heading. What is inside may wait for an answer of its own (`useAnswer`): while it waits, or if
 * its answer fails, the rest of the page stands.
 */
export function Panel({ title, note, actions, rows = 3, children }: PanelProps) {
  const id = useId();
  return (
    <section className={styles['panel']} aria-labelledby={id}>
      <div className={styles['head']}>
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span className={styles['note']}>{note}</span>}
        {actions !== undefined && <span className={styles['actions']}>{actions}</span>}
      </div>
      <Waiting rows={rows}>{children}</Waiting>
    </section>
  );
}

/** The same without a heading. */
export const Waiting = ({ rows = 3, children }: { rows?: number; children: React.ReactNode }) => (
  <QueryErrorResetBoundary>
    {({ reset }) => (
      <CatchBoundary
        getResetKey={() => 'panel'}
        errorComponent={({ error, reset: again }) => (
          <ErrorPanel
            error={error}
            retry={() => {
              reset();
              again();
            }}
          />
        )}
      >
        <Suspense fallback={<Skeleton rows={rows} />}>{children}</Suspense>
      </CatchBoundary>
    )}
  </QueryErrorResetBoundary>
);
