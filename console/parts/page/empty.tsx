import { Code } from '../text/code.tsx';
import styles from './empty.module.css';

interface EmptyProps {
  /** What is not there, as a sentence: `No attestation was reported to this trail.` */
  sentence: string;
  /** What would fill the place. */
  remedy?: React.ReactNode;
  /** Commands that do it, for this very organization. */
  commands?: readonly { what: string; text: string }[];
}

/** A place that holds nothing yet: what would fill it, and the command that does. */
export const Empty = ({ sentence, remedy, commands = [] }: EmptyProps) => (
  <div className={styles['empty']}>
    <p>{sentence}</p>
    {remedy !== undefined && <p className={styles['quiet']}>{remedy}</p>}
    {commands.map(({ what, text }) => (
      <Code key={what} what={what} wrap>
        {text}
      </Code>
    ))}
  </div>
);
