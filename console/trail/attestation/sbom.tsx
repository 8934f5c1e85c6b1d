import { KeyValues } from '../../parts/page/key-values.tsx';
import { Text } from '../../parts/text/text.tsx';
import type { Attestation } from '../operations.ts';
import styles from './attestation.module.css';
import { sbomView } from './model/sbom.ts';

/** What the service found in the file of an SBOM, and where the reporter stated something else. */
export function Sbom({ attestation }: { attestation: Attestation }) {
  const view = sbomView(attestation);
  if (view === null) return null;
  return (
    <section className={styles['part']}>
      <h3>Found in the file</h3>
      {view.unreadable !== null && (
        <p>
          The file could not be read, so its packages are not known: <Text>{view.unreadable}</Text>
        </p>
      )}
      <KeyValues rows={view.rows.map(([label, text]) => [label, <Text key={label}>{text}</Text>] as const)} />
      {view.differences.length > 0 && (
        <ul>
          {view.differences.map((sentence) => (
            <li key={sentence}>
              <Text>{sentence}</Text>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
