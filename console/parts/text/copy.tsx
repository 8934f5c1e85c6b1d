import { useEffect, useState } from 'react';
import { Icon } from '../control/icons.tsx';
import styles from './copy.module.css';

/** Copies a text, and says so for two seconds. */
function useCopy(): [copied: boolean, copy: (text: string) => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (text: string) => {
    // A browser that forbids the clipboard refuses. The text is on the page, so the reader can select it.
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return [copied, copy];
}

/** A small button behind a value. */
export function Copy({ text, what }: { text: string; what: string }) {
  const [copied, copy] = useCopy();
  return (
    <button
      type="button"
      className={styles['copy']}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={() => copy(text)}
    >
      {copied ? <span className={styles['copied']}>✓</span> : <Icon name="copy" />}
      <span className="visually-hidden" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </button>
  );
}
