import { sealOf } from '../../model/grades.ts';
import { OutLink, PageLink } from '../../parts/link/link.tsx';
import { SignerLink, TrustRootLink } from '../../parts/link/signer-links.tsx';
import { KeyValues } from '../../parts/page/key-values.tsx';
import { Id } from '../../parts/text/id.tsx';
import { Json } from '../../parts/text/json.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import type { RecalledEvidence } from '../model/trail.ts';
import type { Attestation } from '../operations.ts';
import styles from './attestation.module.css';
import { sealSentence, workflowOf } from './model/seal.ts';
import { Folded } from './views/folded.tsx';

interface SealProps {
  org: string;
  attestation: Attestation;
  /** Why the evidence does not count any more; absent if it counts. */
  recalled: RecalledEvidence | undefined;
}

/** Who signed an attestation, from which run, by which trust root, and what proves when. */
export function Seal({ org, attestation, recalled }: SealProps) {
  const { verification } = attestation;
  return (
    <section className={styles['part']} aria-label="Seal">
      <h3>Seal</h3>
      <p className={styles['verdict']}>
        <State state={sealOf(verification)} chip />
        <Text lines>{sealSentence(attestation)}</Text>
      </p>
      {recalled && (
        <p className={styles['verdict']} role="note">
          <State state="recalled" chip />
          <span>
            It does not count any more since <Time at={recalled.since} show="full" />:{' '}
            {recalled.recalls.map((name, n) => (
              <span key={name}>
                {n > 0 && ', '}
                <PageLink page="recall" params={{ org, recall: name }}>
                  <Text>{name}</Text>
                </PageLink>
              </span>
            ))}
          </span>
        </p>
      )}
      <SignatureFacts org={org} verification={verification} />
    </section>
  );
}

function SignatureFacts({ org, verification }: { org: string; verification: Attestation['verification'] }) {
  const { grade, signer, root, issuer, subject, run, logs, times, statement, subjects } = verification;
  const { bundle_digest: bundle, key_digest: key, predicate_type: type, subject_count: count, library } = verification;
  const workflow = workflowOf(verification);
  return (
    <>
      <KeyValues
        rows={[
          [
            'Grade',
            <PageLink key="grade" page="glossary" params={{}} search={{ word: 'grade' }} title="What the word means">
              {grade}
            </PageLink>,
          ],
          [
            'Signer',
            signer && (
              <>
                <SignerLink org={org} name={signer.name} />, version {signer.version}
              </>
            ),
          ],
          ['Identity', subject !== null && <Text>{subject}</Text>],
          ['Proved by', issuer !== null && <Text>{issuer}</Text>],
          ['Workflow', workflow !== null && <OutLink href={workflow} />],
          ['Run', run !== null && <OutLink href={run} />],
          [
            'Trust root',
            root && (
              <>
                <TrustRootLink org={org} name={root.name} />
                {root.version !== null && `, version ${root.version}`}, SHA-256{' '}
                <Id what="SHA-256 of the trust root" short>
                  {root.digest}
                </Id>
              </>
            ),
          ],
          [
            'Signed at',
            times.length > 0 &&
              times.map(({ at, from }) => (
                <div key={`${at} ${from}`}>
                  <Time at={at} show="full" />, as a {from} proves
                </div>
              )),
          ],
          [
            'Log',
            logs.length > 0 &&
              logs.map(({ id, index }) => (
                <div key={`${id} ${index}`}>
                  entry {index} of{' '}
                  <Id what="id of the log" short>
                    {id}
                  </Id>
                </div>
              )),
          ],
          ['Public key', key !== null && <Id what="SHA-256 of the public key">{key}</Id>],
          ['Bundle', bundle !== null && <Id what="SHA-256 of the bundle">{bundle}</Id>],
          ['Predicate', type !== null && <Text>{type}</Text>],
          [
            'Subjects',
            count > 0 && (
              <>
                {subjects.map(({ name, sha256 }, n) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a statement can name a subject twice
                  <div key={n}>
                    <Text>{name}</Text>{' '}
                    {sha256 !== null && (
                      <Id what="SHA-256 of the subject" short plain>
                        {sha256}
                      </Id>
                    )}
                  </div>
                ))}
                {count > subjects.length && `and ${count - subjects.length} more`}
              </>
            ),
          ],
          ['Checked with', library !== null && <Text>{library}</Text>],
        ]}
      />
      {statement !== null && (
        <Folded summary="What was signed">
          <Json value={statement} what="statement" />
        </Folded>
      )}
    </>
  );
}
