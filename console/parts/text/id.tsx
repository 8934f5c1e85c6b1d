import { Copy } from './copy.tsx';
import styles from './id.module.css';
import { Text } from './text.tsx';

interface IdProps {
  children: string;
  /** What the text is: `fingerprint`, `commit`. */
  what: string;
  /** Shows the first characters only. The whole text is copied, and stands in the tooltip. */
  short?: boolean;
  /** Leaves out the button that copies, for rows of a table and inside of links. */
  plain?: boolean;
}

/** A fingerprint, a commit or an id. */
export function Id({ children, what, short = false, plain = false }: IdProps) {
  return (
    <span className={short ? styles['short'] : undefined}>
      <span className={styles['id']} title={short ? children : undefined}>
        <Text>{short ? children.slice(0, 8) : children}</Text>
      </span>
      {!plain && (
        <>
          {' '}
          <Copy text={children} what={what} />
        </>
      )}
    </span>
  );
}
