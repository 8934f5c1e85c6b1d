import { State } from '../../../parts/text/state.tsx';
import { Text } from '../../../parts/text/text.tsx';
import type { IssuesView as Model } from '../model/issues.ts';
import { Bounded } from './bounded.tsx';
import { NamedLink } from './named-link.tsx';
import { View } from './view.tsx';
import styles from './views.module.css';

/** The issues that a change refers to. */
export const IssuesView = ({ view }: { view: Model }) => (
  <View title="Issues" sentence={view.sentence}>
    {view.issues.length > 0 && (
      <Bounded rows={view.issues} textOf={({ id, title, state }) => [id, title, state].join(' ')} what="issues">
        {({ id, url, exists, title, state }) => (
          <div className={styles['line']}>
            <State state={exists ? 'compliant' : 'non-compliant'}>{exists ? 'Exists' : 'Does not exist'}</State>
            <span className={styles['name']}>
              <NamedLink href={url}>{id}</NamedLink>
            </span>
            {title !== null && <Text>{title}</Text>}
            {state !== null && (
              <span className={`${styles['quiet']} ${styles['end']}`}>
                <Text>{state}</Text>
              </span>
            )}
          </div>
        )}
      </Bounded>
    )}
  </View>
);
