import { PageLink } from '../parts/link/link.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { ParamsOf } from '../routes/params.ts';
import { recalledOf, slotName } from './model/trail.ts';
import type { Trail } from './operations.ts';
import styles from './trail.module.css';

/** Evidence that does not count any more, with the recalls that it falls under. */
export function Recalled({ trail, params }: { trail: Trail; params: ParamsOf<'trail'> }) {
  const recalled = recalledOf(trail);
  if (recalled.length === 0) return null;
  return (
    <Panel title="Recalled" note="signatures that are not to be trusted" rows={recalled.length}>
      <ul className={styles['todo']}>
        {recalled.map(({ scope, name, type, id, since, recalls }) => (
          <li key={id} className={styles['line']}>
            <State state="recalled">
              <Text>{slotName(scope, name)}</Text>
            </State>
            <span>
              <Text>{type}</Text>, since <Time at={since} /> by{' '}
              {recalls.map((recall, n) => (
                <span key={recall}>
                  {n > 0 && ', '}
                  <PageLink page="recall" params={{ org: params.org, recall }}>
                    <Text>{recall}</Text>
                  </PageLink>
                </span>
              ))}
            </span>
            <PageLink page="trail" params={params} search={{ attestation_id: id }} keepPlace>
              Details
            </PageLink>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
