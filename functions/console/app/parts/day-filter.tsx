import styles from './filters.module.css';
import { useSearchChange } from './use-search-change.ts';

interface DayFilterProps {
  label: string;
  /** The parameter of the address. */
  name: string;
  /** The day in the address: `2026-07-01`. */
  value: string | undefined;
}

/** A day in UTC that stands in the address. */
export function DayFilter({ label, name, value }: DayFilterProps) {
  const change = useSearchChange();
  return (
    <label>
      {label}
      <input
        className={styles['choice']}
        type="date"
        value={value ?? ''}
        title="A day in UTC"
        onChange={({ target }) => change({ [name]: target.value || undefined })}
      />
    </label>
  );
}
