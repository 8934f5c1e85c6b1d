import { useState } from 'react';
import styles from './views.module.css';

/** Something long that is drawn when a person opens it. */
export function Folded({ summary, children }: { summary: React.ReactNode; children: React.ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles['folded']} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
