import { Scroller } from '../table/scroller.tsx';
import styles from './code.module.css';
import { Copy } from './copy.tsx';
import { Text } from './text.tsx';

interface CodeProps {
  children: string;
  /** What the text is: `curl`, `template`. It stands above, and names the button that copies. */
  what: string;
  /** Breaks long lines, for commands. */
  wrap?: boolean;
  /** Shows the number of each line, for files. */
  numbers?: boolean;
}

/** A command or a file, with a button that copies all of it. */
export const Code = ({ children, what, wrap = false, numbers = false }: CodeProps) => (
  <figure className={styles['figure']}>
    <figcaption className={styles['caption']}>{what}</figcaption>
    <Scroller className={styles['scroller']}>
      <pre className={`${styles['code']} ${wrap ? styles['wrapped'] : ''}`}>
        <code>
          {numbers ? (
            children.split('\n').map((line, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line of a file is known by its number
              <span key={n} className={styles['numbered']}>
                <span className={styles['number']}>{n + 1}</span>
                <Text>{line}</Text>
              </span>
            ))
          ) : (
            <Text>{children}</Text>
          )}
        </code>
      </pre>
    </Scroller>
    <span className={styles['copy']}>
      <Copy text={children} what={what} />
    </span>
  </figure>
);
