import type { Trail } from '../../client/trails.ts';
import { overriddenOf, slotName } from '../../model/trail.ts';
import { PageLink } from '../../parts/link.tsx';
import { Panel } from '../../parts/panel.tsx';
import { State } from '../../parts/state.tsx';
import { Text } from '../../parts/text.tsx';
import type { ParamsOf } from '../route.ts';
import styles from './trail.module.css';

/** Verdicts that somebody replaced. The reason stands in the details of the override. */
export function Overridden({ trail, params }: { trail: Trail; params: ParamsOf<'trail'> }) {
  const overridden = overriddenOf(trail);
  if (overridden.length === 0) return null;
  return (
    <Panel title="Overridden" note="verdicts that a person replaced">
      <ul className={styles['todo']}>
        {overridden.map(({ scope, name, type, attestation, compliant }) => (
          <li key={`${scope} ${name} ${type}`} className={styles['line']}>
            <State state="overridden">
              <Text>{slotName(scope, name)}</Text>
            </State>
            <span className={styles['type']}>
              <Text>{type}</Text>, now counts as {compliant ? 'compliant' : 'not compliant'}
            </span>
            {attestation !== null && (
              <PageLink page="trail" params={params} search={{ attestation_id: attestation }} keepPlace>
                Reason and author
              </PageLink>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
