import { Waiting } from '../../../parts/page/panel.tsx';
import { State } from '../../../parts/text/state.tsx';
import { Text } from '../../../parts/text/text.tsx';
import { durationText, type JunitView as Model, type Suite, suiteCounts } from '../model/junit.ts';
import { Bounded } from './bounded.tsx';
import { FailedTests } from './failed-tests.tsx';
import type { FilePlace } from './read-preview.ts';
import { Notice, View } from './view.tsx';
import styles from './views.module.css';

/** Test results: how many ran and failed, then the suites. */
export const JunitView = ({ view, place }: { view: Model; place: FilePlace | null }) => (
  <View title="Tests" sentence={view.sentence}>
    {view.failed > 0 &&
      (place ? (
        <Waiting rows={2}>
          <FailedTests place={place} stated={view.failed} />
        </Waiting>
      ) : (
        <Notice>The results of the tool are not attached, so the tests that failed have no names here.</Notice>
      ))}
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
