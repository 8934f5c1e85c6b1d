import { Text } from '../text/text.tsx';
import styles from './tags.module.css';

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
