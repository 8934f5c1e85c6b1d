import { useAnswer } from '../client/live.ts';
import { usePreferences } from '../client/preferences.ts';
import { read } from '../client/query-client.ts';
import type { Zone } from '../model/time.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import type { ParamsOf } from '../routes/params.ts';
import { type Override, overrideOf, overrideText } from './model/override.ts';
import { overriddenOf, slotName } from './model/trail.ts';
import { attestations, type Trail } from './operations.ts';
import styles from './trail.module.css';

/** Verdicts that somebody replaced, with who did it and why. */
export function Overridden({ trail, params }: { trail: Trail; params: ParamsOf<'trail'> }) {
  const overridden = overriddenOf(trail);
  if (overridden.length === 0) return null;
  return (
    <Panel title="Overridden" note="verdicts that a person replaced" rows={overridden.length}>
      <List trail={trail} params={params} />
    </Panel>
  );
}

/** Most overrides of a trail that are read for their reasons. */
const MOST = 100;

function List({ trail, params }: { trail: Trail; params: ParamsOf<'trail'> }) {
  const { org, flow } = params;
  const { zone } = usePreferences();
  const { data } = useAnswer(
    read(attestations, { org }, { flow, trail: trail.name, attestation_type: 'override', per_page: MOST }),
  );
  const reasons = new Map(data.map((one): [string, Override | null] => [one.attestation_id, overrideOf(one)]));
  return (
    <ul className={styles['todo']}>
      {overriddenOf(trail).map(({ scope, name, type, attestation, compliant }) => (
        <li key={`${scope} ${name} ${type}`} className={styles['line']}>
          <State state="overridden">
            <Text>{slotName(scope, name)}</Text>
          </State>
          <Reason override={reasons.get(attestation ?? '')} zone={zone}>
            <Text>{type}</Text>, now counts as {compliant ? 'compliant' : 'not compliant'}
          </Reason>
          {attestation !== null && (
            <PageLink page="trail" params={params} search={{ attestation_id: attestation }} keepPlace>
              Details
            </PageLink>
          )}
        </li>
      ))}
    </ul>
  );
}

interface ReasonProps {
  override: Override | null | undefined;
  zone: Zone;
  /** Shown for an override that was not read. */
  children: React.ReactNode;
}

const Reason = ({ override, zone, children }: ReasonProps) => (
  <span className={styles['type']}>{override ? <Text>{overrideText(override, zone)}</Text> : children}</span>
);
