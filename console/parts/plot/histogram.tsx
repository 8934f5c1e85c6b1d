import { edgeText, type Times, timesText, usedClasses } from '../../model/pace.ts';
import { count as countText, nounOf } from '../../model/words.ts';
import styles from './histogram.module.css';

interface HistogramProps {
  /** What took the time, for screen readers: `Lead times`. */
  label: string;
  /** What is counted: `deployment`. */
  noun: string;
  times: Times;
}

/** How long something took: a bar for each class of lengths, the median and the time of 9 of 10 in words. */
export function Histogram({ label, noun, times }: HistogramProps) {
  const classes = usedClasses(times.classes ?? []);
  const highest = Math.max(1, ...classes.map(({ count }) => count));
  const text = timesText(times, noun);
  if (text === null) return null;
  return (
    <figure className={styles['histogram']} aria-label={label}>
      <figcaption>{text}</figcaption>
      {classes.length > 1 && (
        <ol className={styles['classes']} aria-label={`${nounOf(2, noun)} by length of time`}>
          {classes.map(({ up_to: edge, count }) => (
            <li key={edge ?? 'more'}>
              <span className={styles['edge']}>{edgeText(edge)}</span>
              <svg className={styles['bar']} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
                <rect width={(100 * count) / highest} height="10" />
              </svg>
              <span className={styles['count']}>{countText(count, noun)}</span>
            </li>
          ))}
        </ol>
      )}
    </figure>
  );
}
