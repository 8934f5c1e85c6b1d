import { Text } from '../text/text.tsx';
import styles from './tags.module.css';

/** Tags of a record: `team: checkout`; a dash without any. */
export const Tags = ({ tags }: { tags: Readonly<Record<string, string>> }) =>
  Object.keys(tags).length === 0 ? (
    '–'
  ) : (
    <span className={styles['tags']}>
      {Object.entries(tags).map(([key, value]) => (
        <span key={key} className={styles['tag']}>
          <Text>{value === '' ? key : `${key}: ${value}`}</Text>
        </span>
      ))}
    </span>
  );
