import type { DiffLine } from '../../model/diff.ts';
import styles from './diff.module.css';
import { Text } from './text.tsx';

interface DiffProps {
  /** What changed, in words. */
  caption: string;
  /** `null` stands for lines that are left out. */
  lines: readonly (DiffLine | null)[];
}

const MARKS = { same: ' ', added: '+', removed: '−' } as const;
const WORDS = { same: '', added: 'added', removed: 'removed' } as const;

/** Two versions of a text, line by line. */
export const Diff = ({ caption, lines }: DiffProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls sideways must be reached with the keyboard
  <section className={styles['frame']} tabIndex={0} aria-label="Changes">
    <table className={styles['diff']}>
      <caption>{caption}</caption>
      <tbody>
        {lines.map((line, n) =>
          line === null ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line of a text is known by its place
            <tr key={n} className={styles['gap']}>
              <td colSpan={4}>unchanged lines</td>
            </tr>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <tr key={n} className={styles[line.kind]}>
              <td className={styles['number']}>{line.before}</td>
              <td className={styles['number']}>{line.after}</td>
              <td className={styles['mark']}>
                <span aria-hidden="true">{MARKS[line.kind]}</span>
                <span className="visually-hidden">{WORDS[line.kind]}</span>
              </td>
              <td className={styles['text']}>
                <Text>{line.text}</Text>
              </td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  </section>
);
