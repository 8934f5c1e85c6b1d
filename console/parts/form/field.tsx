import styles from './form.module.css';

interface FieldProps {
  label: string;
  note?: string;
  children: React.ReactNode;
}

/** A labelled control of a dialog. The control is the child. */
export const Field = ({ label, note, children }: FieldProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
  <label className={styles['field']}>
    {label}
    {children}
    {note !== undefined && <span className={styles['note']}>{note}</span>}
  </label>
);

interface ChoiceFieldProps {
  label: string;
  value: number;
  options: readonly (readonly [value: number, text: string])[];
  onChange: (value: number) => void;
}

/** A choice of one number among few: a length of time. */
export const ChoiceField = ({ label, value, options, onChange }: ChoiceFieldProps) => (
  <Field label={label}>
    <select value={value} onChange={({ target }) => onChange(Number(target.value))}>
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  </Field>
);

export const Fields = ({ children }: { children: React.ReactNode }) => <div className={styles['form']}>{children}</div>;

/** What a write came to, above the part of the page that it changed. Screen readers read it when it appears. */
export const Notice = ({ children }: { children: React.ReactNode }) => (
  <div role="status">{children !== null && <p className={styles['notice']}>{children}</p>}</div>
);
