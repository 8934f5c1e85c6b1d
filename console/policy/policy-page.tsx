import { useAnswer } from '../client/live.ts';
import { read } from '../client/query-client.ts';
import { EnvironmentTable } from '../environment/environment-table.tsx';
import { attachOne } from '../environment/forms.ts';
import { SentenceOf } from '../environment/sentence-of.tsx';
import { quoted } from '../model/commands.ts';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Raw } from '../parts/page/raw.tsx';
import { VerdictLine } from '../parts/page/verdict-line.tsx';
import { Code } from '../parts/text/code.tsx';
import { Text } from '../parts/text/text.tsx';
import { Time } from '../parts/text/time.tsx';
import type { PageProps } from '../routes/route.ts';
import { Environments } from './environments.tsx';
import { Failing } from './failing.tsx';
import { nextVersion } from './forms.ts';
import { policySentence } from './model/policy.ts';
import { type Policy, policy as policyOperation } from './operations.ts';
import styles from './policy.module.css';
import type { policyRoute } from './routes.ts';
import { useJudged } from './use-judged.ts';
import { Versions } from './versions.tsx';

/** A policy: what it asks for, which environments it judges, and what fails there now. */
export default function PolicyPage({ params, search }: PageProps<typeof policyRoute>) {
  const { org } = params;
  const policy = useAnswer(read(policyOperation, params));
  const plain = policySentence(policy, []);
  const newest = policy.versions.at(-1);
  return (
    <>
      <VerdictLine
        kind="Policy"
        subject={policy.name}
        sentence={
          <SentenceOf otherwise={plain}>
            <Sentence org={org} policy={policy} />
          </SentenceOf>
        }
        description={policy.description}
        actions={<Writes org={org} writes={[nextVersion(org, policy), attachOne(org, policy.name)]} />}
        facts={[
          <span key="created">
            created <Time at={policy.created_at} /> by <Text>{policy.created_by}</Text>
          </span>,
          ...(newest && newest.version > 1
            ? [
                <span key="newest">
                  version {newest.version} of <Time at={newest.timestamp} /> by <Text>{newest.created_by}</Text>
                </span>,
              ]
            : []),
        ]}
      />
      <Panel title="Environments" note="that it is attached to" rows={policy.consuming_envs.length + 1}>
        {policy.consuming_envs.length === 0 ? (
          <Empty
            sentence="No environment uses this policy."
            remedy="Attach it, and what runs in the environment is judged by it at once."
            commands={[
              {
                what: 'Command-line client',
                text: `kosli attach-policy ${quoted(policy.name)} --environment ENVIRONMENT \\\n  --org ${quoted(org)} --host ${location.origin} --api-token "$KEY"`,
              },
            ]}
          />
        ) : (
          <Attached org={org} policy={policy} />
        )}
      </Panel>
      <Failing org={org} policy={policy} />
      <Versions params={params} search={search} policy={policy} />
      <Panel title="Change it">
        <Code what="Upload the next version" wrap>
          {`kosli create policy ${quoted(policy.name)} policy.yml \\\n  --org ${quoted(org)} --host ${location.origin} --api-token "$KEY"`}
        </Code>
      </Panel>
      <Raw value={policy} path={`/policies/${org}/${policy.name}`} />
    </>
  );
}

const Sentence = ({ org, policy }: { org: string; policy: Policy }) => (
  <Text>{policySentence(policy, useJudged(org, policy))}</Text>
);

function Attached({ org, policy }: { org: string; policy: Policy }) {
  const judged = useJudged(org, policy);
  const others = policy.consuming_envs.filter((name) => judged.every((one) => one.name !== name));
  return (
    <>
      {judged.length > 0 && <EnvironmentTable org={org} environments={judged} />}
      {others.length > 0 && (
        <p className={styles['others']}>
          Also attached to <Environments org={org} names={others} />.
        </p>
      )}
    </>
  );
}
