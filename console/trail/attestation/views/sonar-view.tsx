import { KeyValues } from '../../../parts/page/key-values.tsx';
import { State } from '../../../parts/text/state.tsx';
import { Text } from '../../../parts/text/text.tsx';
import type { SonarView as Model } from '../model/sonar.ts';
import { Bounded } from './bounded.tsx';
import { NamedLink } from './named-link.tsx';
import { View } from './view.tsx';
import styles from './views.module.css';

/** A code analysis: its quality gate and what was measured against which limit. */
export const SonarView = ({ view }: { view: Model }) => (
  <View title="Code analysis" sentence={view.sentence}>
    {view.conditions.length > 0 && (
      <Bounded rows={view.conditions} textOf={({ metric, status }) => `${metric} ${status}`} what="conditions">
        {({ metric, value, limit, isFailed }) => (
          <div className={styles['line']}>
            <State state={isFailed ? 'non-compliant' : 'compliant'}>
              <Text>{metric}</Text>
            </State>
            <span className={styles['name']}>
              <Text>{value}</Text>
            </span>
            <span className={`${styles['quiet']} ${styles['end']}`}>
              <Text>{limit}</Text>
            </span>
          </div>
        )}
      </Bounded>
    )}
    <KeyValues
      rows={[
        [
          'Project',
          view.project && (
            <NamedLink key="project" href={view.project.url}>
              {view.project.name}
            </NamedLink>
          ),
        ],
        ...view.rows.map(([label, text]) => [label, <Text key={label}>{text}</Text>] as const),
      ]}
    />
  </View>
);
