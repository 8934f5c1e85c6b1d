import { useAnswer } from '../../client/live.ts';
import { PageLink } from '../../parts/link/link.tsx';
import { VersionLinks } from '../../parts/link/name-links.tsx';
import { Empty } from '../../parts/page/empty.tsx';
import { stepsOf } from '../../parts/reasons/model.ts';
import { ReasonChain } from '../../parts/reasons/reason-chain.tsx';
import { Table } from '../../parts/table/table.tsx';
import { State } from '../../parts/text/state.tsx';
import { Text } from '../../parts/text/text.tsx';
import { Time } from '../../parts/text/time.tsx';
import type { ParamsOf } from '../../routes/params.ts';
import {
  decidedText,
  type EnvironmentVerdict,
  refusalReason,
  refusedFirst,
  silenceReason,
  stateOfRelease,
} from '../model/release.ts';
import { readVerdicts } from '../routes.ts';
import styles from './artifact.module.css';

/**
 * The verdict of each environment, with what decided and why.
 *
 * @param artifact name of the artifact, as sentences say it
 */
export function Release({ params, artifact }: { params: ParamsOf<'artifact'>; artifact: string }) {
  const { org } = params;
  const { environments, total_count: total } = useAnswer(readVerdicts(params));
  if (environments.length === 0) {
    return (
      <Empty
        sentence="The organization has no environment yet, so nothing decides whether the artifact may run."
        commands={[
          {
            what: 'Command-line client',
            text: `kosli create environment prod --type K8S --org ${org} --host ${location.origin} --api-token "$KEY"`,
          },
        ]}
      />
    );
  }
  return (
    <>
      <Table
        caption="Verdicts of the environments"
        rows={refusedFirst(environments)}
        keyOf={({ environment }) => environment}
        isUnreadable={({ unreadable }) => unreadable === true}
        columns={[
          {
            head: 'Environment',
            cell: ({ environment: env, type }) => (
              <>
                <PageLink page="environment" params={{ org, env }} strong row>
                  <Text>{env}</Text>
                </PageLink>{' '}
                <span className={styles['quiet']}>{type}</span>
              </>
            ),
          },
          {
            head: 'May it run there?',
            fit: true,
            cell: (verdict) => <State state={stateOfRelease(verdict)}>{wordOf(verdict)}</State>,
          },
          { head: 'Decided by', cell: (verdict) => <Decided org={org} verdict={verdict} /> },
          {
            head: 'Reason',
            wide: true,
            cell: (verdict) => <Reason artifact={artifact} verdict={verdict} />,
          },
        ]}
      />
      {total > environments.length && (
        <p className={styles['quiet']}>
          {environments.length} of {total} environments are shown.
        </p>
      )}
    </>
  );
}

const wordOf = ({ compliant }: EnvironmentVerdict): string =>
  compliant === null ? 'unknown' : compliant ? 'yes' : 'no';

/** The reason of a refusal in a sentence, and the steps of every verdict behind it. */
function Reason({ artifact, verdict }: { artifact: string; verdict: EnvironmentVerdict }) {
  const reason = verdict.compliant === false ? refusalReason(artifact, verdict) : silenceReason(verdict);
  return (
    <div className={styles['reasons']}>
      {reason !== null && <Text>{reason}</Text>}
      {verdict.fresh_until !== null && (
        <span className={styles['quiet']}>
          without new reports until <Time at={verdict.fresh_until} />
        </span>
      )}
      <ReasonChain steps={stepsOf(verdict.reasons)} leftOut={verdict.reasons_left_out} about={verdict.environment} />
    </div>
  );
}

function Decided({ org, verdict }: { org: string; verdict: EnvironmentVerdict }) {
  if (verdict.decided_by !== 'policies') return <>{decidedText(verdict)}</>;
  const policies = verdict.policies.map(({ policy_name: name, policy_version: version }) => ({ name, version }));
  return <VersionLinks org={org} policies={policies} />;
}
