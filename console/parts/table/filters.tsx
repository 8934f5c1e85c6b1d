import styles from './row-filter.module.css';
import { useSearchChange } from './use-search-change.ts';

/** A line of filters above a list. Each filter stands in the address, so a filtered list can be shared. */
export const Filters = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <search className={`${styles['filter']} ${styles['fields']}`} aria-label={label}>
    {children}
  </search>
);

interface FilterProps {
  label: string;
  /** The parameter of the address. */
  name: string;
  /** The value in the address. */
  value: string | undefined;
}

/** A choice of one value, or of all. */
export function SelectFilter({
  label,
  name,
  value,
  options,
  all = 'all',
}: FilterProps & { options: readonly (readonly [value: string, label: string])[]; all?: string }) {
  const change = useSearchChange();
  return (
    <label className={styles['choice']}>
      {label}
      <select value={value ?? ''} onChange={({ target }) => change({ [name]: target.value || undefined })}>
        <option value="">{all}</option>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A day in UTC. */
export function DayFilter({ label, name, value }: FilterProps) {
  const change = useSearchChange();
  return (
    <label className={styles['choice']}>
      {label}
      <input
        type="date"
        value={value ?? ''}
        title="A day in UTC"
        onChange={({ target }) => change({ [name]: target.value || undefined })}
      />
    </label>
  );
}
