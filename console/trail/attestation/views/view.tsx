import { Text } from '../../../parts/text/text.tsx';
import styles from './views.module.css';

interface ViewProps {
  title: string;
  /** What a reader must know first. */
  sentence: string;
  children?: React.ReactNode;
}

/** The frame of every view of evidence: a heading, one sentence, then the details. */
export const View = ({ title, sentence, children }: ViewProps) => (
  <section className={styles['view']}>
    <h3>{title}</h3>
    <p className={styles['sentence']}>
      <Text>{sentence}</Text>
    </p>
    {children}
  </section>
);

/** A sentence that qualifies what a view shows. */
export const Notice = ({ children, tone = 'open' }: { children: string; tone?: 'open' | 'bad' | 'quiet' }) => (
  <p className={styles['notice']} data-tone={tone}>
    <Text>{children}</Text>
  </p>
);
