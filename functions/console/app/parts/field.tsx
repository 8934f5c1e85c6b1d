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

export const Fields = ({ children }: { children: React.ReactNode }) => <div className={styles['form']}>{children}</div>;

/** What a write came to, above the part of the page that it changed. Screen readers read it when it appears. */
export const Notice = ({ children }: { children: React.ReactNode }) => (
  <div role="status">{children !== null && <p className={styles['notice']}>{children}</p>}</div>
);
