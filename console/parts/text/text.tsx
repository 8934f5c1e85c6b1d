import { Fragment } from 'react';
import { visibleText } from '../../model/visible-text.ts';
import styles from './text.module.css';

/**
 * A text that somebody reported: names, descriptions, messages, reasons. Its direction cannot change its surroundings,
 * and characters that cannot be seen are shown by their numbers. Every reported text goes through this part.
 */
export function Text({ children, lines = false }: { children: string | null | undefined; lines?: boolean }) {
  const parts = visibleText(children ?? '');
  return (
    <bdi className={lines ? styles['lines'] : undefined}>
      {parts.map(({ text, hidden }, n) =>
        hidden ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity than their place
          <span key={n} className={styles['hidden']} title="A character that cannot be seen">
            {text}
          </span>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Fragment key={n}>{text}</Fragment>
        ),
      )}
    </bdi>
  );
}
