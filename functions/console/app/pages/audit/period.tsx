import { useNavigate } from '@tanstack/react-router';
import styles from './audit.module.css';

/** A period of whole days in UTC. It stands in the address. */
export function Period({ from, to }: { from: number | undefined; to: number | undefined }) {
  const navigate = useNavigate();
  const set = (name: 'from' | 'to', value: string): void =>
    void navigate({
      to: '.',
      search: ((before: object) => ({
        ...before,
        [name]: value === '' ? undefined : name === 'to' ? `${value}T23:59:59Z` : value,
        cursor: undefined,
      })) as never,
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <label>
        From
        <input
          className={styles['date']}
          type="date"
          value={dateOf(from)}
          onChange={({ target }) => set('from', target.value)}
        />
      </label>
      <label>
        To (UTC)
        <input
          className={styles['date']}
          type="date"
          value={dateOf(to)}
          onChange={({ target }) => set('to', target.value)}
        />
      </label>
    </>
  );
}

const dateOf = (seconds: number | undefined): string =>
  seconds === undefined ? '' : new Date(seconds * 1000).toISOString().slice(0, 10);
