import { State } from '../../../parts/text/state.tsx';
import { Text } from '../../../parts/text/text.tsx';
import { durationText, type JunitView as Model, type Suite, suiteCounts } from '../model/junit.ts';
import { Bounded } from './bounded.tsx';
import { View } from './view.tsx';
import styles from './views.module.css';

/** Test results: how many ran and failed, then the suites. */
export const JunitView = ({ view, children }: { view: Model; children?: React.ReactNode }) => (
  <View title="Tests" sentence={view.sentence}>
    {children}
    {view.suites.length > 0 && (
      <>
        <h4>Suites</h4>
        <Bounded rows={view.suites} textOf={({ name }) => name} what="suites">
          {(suite) => <SuiteLine suite={suite} />}
        </Bounded>
      </>
    )}
  </View>
);

const SuiteLine = ({ suite }: { suite: Suite }) => (
  <div className={styles['line']}>
    <State state={suite.failed + suite.errors > 0 ? 'non-compliant' : 'compliant'}>
      <Text>{suite.name}</Text>
    </State>
    <span className={`${styles['quiet']} ${styles['end']}`}>
      {suiteCounts(suite)}
      {suite.duration !== null && `, ${durationText(suite.duration)}`}
    </span>
  </div>
);
