import { useSuspenseQuery } from '@tanstack/react-query';
import type { StateName } from '../model/states.ts';
import { KeyValues } from '../parts/page/key-values.tsx';
import { Id } from '../parts/text/id.tsx';
import { State, StateMark } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { type Check, type CheckedReceipt, checkSentence } from './model/check-receipt.ts';
import { recordCheck, type ShownRecord } from './model/shown-record.ts';
import styles from './proof.module.css';
import { readProof } from './read-proof.ts';

/** What this browser computed from the receipt of a record, step by step, and what it did not check. */
export default function Verified({ record }: { record: ShownRecord }) {
  const { data } = useSuspenseQuery(readProof(record));
  return (
    <div role="status" className={styles['outcome']}>
      {data.state === 'none' && (
        <Outcome chip state="unknown" says="This trail has no moment of the record any more, so there is no receipt." />
      )}
      {data.state === 'pending' && (
        <Outcome
          chip
          state="pending"
          says={`${data.message.replace(/\.? Ask again.*$/, '')}. Mostly it does after three seconds. This page asks again every two seconds.`}
        />
      )}
      {data.state === 'insecure' && (
        <Outcome
          chip
          state="unknown"
          says="Not verified: a browser computes only on pages that came over HTTPS. Use the verifier."
        />
      )}
      {data.state === 'checked' && <Checked record={record} checked={data.checked} />}
    </div>
  );
}

/** A state with a sentence, which may be as long as a digest. The state is in colour, and the sentence is not. */
const Outcome = ({ state, says, chip = false }: { state: StateName; says: string; chip?: boolean }) => (
  <p className={styles['line']}>
    {chip ? <State state={state} chip /> : <StateMark state={state} />}
    <Text>{says}</Text>
  </p>
);

const STATE_OF = new Map<boolean | null, StateName>([
  [true, 'verified'],
  [false, 'not-verified'],
  [null, 'unknown'],
]);
const stateOf = (isRight: boolean | null): StateName => STATE_OF.get(isRight) ?? 'unknown';

const TITLES: Record<Check['name'], string> = {
  form: 'Receipt',
  record: 'Record on this page',
  entry: 'Entry',
  texts: 'Texts of the entry',
  proof: 'Proof of inclusion',
  signature: 'Signature',
  'newest checkpoint': 'Newest checkpoint',
};

function Checked({ record, checked }: { record: ShownRecord; checked: CheckedReceipt }) {
  const checks = checked.place === null ? checked.checks : [recordCheck(record, checked), ...checked.checks];
  const states = checks.map(({ isRight }) => isRight);
  const isRight = states.includes(false) ? false : states.includes(null) ? null : true;
  return (
    <>
      <Outcome chip state={stateOf(isRight)} says={checkSentence(checked, checks)} />
      <KeyValues
        rows={[
          ...checks.map(
            ({ name, isRight: right, says }) =>
              [TITLES[name], <Outcome key={name} state={stateOf(right)} says={says} />] as const,
          ),
          ['Witnesses', checked.place && witnessText(checked.place)],
          ['Log', checked.place && <Id what="origin of the log">{checked.place.origin}</Id>],
          [
            'Not checked',
            <span key="not">
              Whether the key is the right one: it came from this service. Compare it with the key that you have, or use
              the{' '}
              <a href="/-/assets/verify.mjs" download>
                verifier
              </a>
              . Whether the report was true. Whether others were shown another log.
            </span>,
          ],
        ]}
      />
    </>
  );
}

const witnessText = ({ witnesses }: NonNullable<CheckedReceipt['place']>): React.ReactNode =>
  witnesses.length === 0 ? (
    'No witness that the service names cosigned this checkpoint.'
  ) : (
    <Text>{witnesses.join(', ')}</Text>
  );
