import { useNavigate } from '@tanstack/react-router';
import styles from './filters.module.css';

/** The line above a list in which a reader chooses what the list shows. */
export const Filters = ({ children }: { children: React.ReactNode }) => (
  <div className={styles['filters']}>{children}</div>
);

interface ChoiceProps {
  label: string;
  /** Name of the parameter behind the `?`. */
  name: string;
  value: string | number | undefined;
  options: readonly (readonly [value: string, text: string])[];
  /** What is shown without a choice. */
  all?: string;
}

/** A choice that stands in the address. Another choice leads back to the first page of the list. */
export function Choice({ label, name, value, options, all = 'all' }: ChoiceProps) {
  const navigate = useNavigate();
  return (
    <label>
      {label}
      <select
        className={styles['choice']}
        value={String(value ?? '')}
        onChange={({ target }) =>
          void navigate({
            to: '.',
            search: ((before: object) => ({
              ...before,
              [name]: target.value || undefined,
              page: undefined,
              cursor: undefined,
            })) as never,
            replace: true,
            resetScroll: false,
          })
        }
      >
        <option value="">{all}</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
