import styles from './skeleton.module.css';

/** A grey picture of rows that are not there yet. It appears after 150 ms, so that a quick answer shows no flicker. */
export const Skeleton = ({ rows = 3 }: { rows?: number }) => (
  <div className={styles['skeleton']} aria-busy="true">
    <span className="visually-hidden" role="status">
      Loading
    </span>
    {Array.from({ length: rows }, (_, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows of the picture are all alike
      <div key={n} className={styles['row']} />
    ))}
  </div>
);

/** The same for a whole page. */
export const PageSkeleton = () => (
  <div className={styles['page']}>
    <div className={styles['title']} />
    <Skeleton rows={8} />
  </div>
);
