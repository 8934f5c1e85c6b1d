import { shortName } from '#shared/base/reasons/artifact-name.ts';
import { useAnswer } from '../client/live.ts';
import { readSnapshot } from '../environment/reads.ts';
import { stateOfVerdict } from '../model/states.ts';
import { PageLink } from '../parts/link/link.tsx';
import { Panel, Waiting } from '../parts/page/panel.tsx';
import { Id } from '../parts/text/id.tsx';
import { State } from '../parts/text/state.tsx';
import { Text } from '../parts/text/text.tsx';
import type { Policy } from './operations.ts';
import styles from './policy.module.css';
import { useJudged } from './use-judged.ts';

/** Environments whose newest snapshots are read. The others have links to the page that names their artifacts. */
const MOST_READ = 2;
const MOST_NAMED = 20;

interface FailingProps {
  org: string;
  policy: Policy;
}

/** What fails the policy now, by environment. */
export const Failing = ({ org, policy }: FailingProps) =>
  policy.consuming_envs.length === 0 ? null : (
    <Panel title="Failing now" note="running artifacts that do not satisfy it" rows={2}>
      <Judged org={org} policy={policy} />
    </Panel>
  );

function Judged({ org, policy }: FailingProps) {
  const red = useJudged(org, policy).filter(({ state }) => state === false);
  if (red.length === 0)
    return <p className={styles['quiet']}>None of its environments is known to be not compliant.</p>;
  return (
    <ul className={styles['failing']}>
      {red.map(({ name }, n) => (
        <li key={name}>
          {n < MOST_READ ? (
            <Waiting rows={1}>
              <Artifacts org={org} env={name} policy={policy.name} />
            </Waiting>
          ) : (
            <PageLink page="environment-policies" params={{ org, env: name }}>
              What fails in <Text>{name}</Text>
            </PageLink>
          )}
        </li>
      ))}
    </ul>
  );
}

function Artifacts({ org, env, policy }: { org: string; env: string; policy: string }) {
  const { applied_policies: applied } = useAnswer(readSnapshot({ org, env }));
  const failing = applied.find(({ name }) => name === policy)?.failing_artifacts ?? [];
  const place = (
    <PageLink page="environment-policies" params={{ org, env }}>
      <Text>{env}</Text>
    </PageLink>
  );
  if (failing.length === 0) {
    return (
      <p>
        {place} <span className={styles['quiet']}>is not compliant because of another policy.</span>
      </p>
    );
  }
  return (
    <>
      <p>
        {place} <State state={stateOfVerdict(false)} />
      </p>
      <ul className={styles['artifacts']}>
        {failing.slice(0, MOST_NAMED).map(({ name, fingerprint }) => (
          <li key={`${name} ${fingerprint}`}>
            <PageLink page="search" params={{ org }} search={{ q: fingerprint }}>
              <Text>{shortName(name)}</Text>
            </PageLink>{' '}
            <Id what="fingerprint" short plain>
              {fingerprint}
            </Id>
          </li>
        ))}
        {failing.length > MOST_NAMED && <li>and {(failing.length - MOST_NAMED).toLocaleString('en')} more</li>}
      </ul>
    </>
  );
}
