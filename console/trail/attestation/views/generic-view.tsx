import { KeyValues } from '../../../parts/page/key-values.tsx';
import { Json } from '../../../parts/text/json.tsx';
import { Text } from '../../../parts/text/text.tsx';
import type { Attestation } from '../../operations.ts';
import { findingsOf } from '../model/attestation.ts';
import { Notice } from './view.tsx';
import styles from './views.module.css';

interface GenericProps {
  attestation: Attestation;
  /** Why the fields stand here instead of a view of the kind. */
  note?: string;
}

/** The fields that the type of an attestation has, as they were reported. */
export function GenericView({ attestation, note }: GenericProps) {
  const findings = findingsOf(attestation);
  if (findings.length === 0 && note === undefined) return null;
  return (
    <section className={styles['view']}>
      <h3>Result</h3>
      {note !== undefined && <Notice>{note}</Notice>}
      <KeyValues
        rows={findings.flatMap(({ label, text }) =>
          text === null ? [] : [[label, <Text key={label}>{text}</Text>] as const],
        )}
      />
      {findings.map(({ label, text, value }) => text === null && <Json key={label} value={value} what={label} />)}
    </section>
  );
}
