import styles from './tags.module.css';
import { Text } from './text.tsx';

/** Tags of a record: `team: checkout`. */
export const Tags = ({ tags }: { tags: Readonly<Record<string, string>> }) => (
  <span className={styles['tags']}>
    {Object.entries(tags).map(([key, value]) => (
      <span key={key} className={styles['tag']}>
        <Text>{value === '' ? key : `${key}: ${value}`}</Text>
      </span>
    ))}
  </span>
);
