import styles from './key-values.module.css';

/** Labelled facts. A row whose value is null, undefined or false is left out. */
export const KeyValues = ({ rows }: { rows: readonly (readonly [label: string, value: React.ReactNode])[] }) => (
  <dl className={styles['list']}>
    {rows
      .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
      .map(([label, value]) => (
        <Row key={label} label={label}>
          {value}
        </Row>
      ))}
  </dl>
);

const Row = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </>
);
