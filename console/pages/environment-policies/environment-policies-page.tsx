import { everReported } from '../../client/environments.ts';
import { useAnswer } from '../../client/live.ts';
import { policyWrites } from '../../forms/environments.ts';
import { commandsOfPolicies } from '../../model/environment-commands.ts';
import { policiesSentence } from '../../model/environment-policies.ts';
import { Code } from '../../parts/code.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Text } from '../../parts/text.tsx';
import { Writes } from '../../parts/writes.tsx';
import { AppliedPolicies } from '../environment/applied-policies.tsx';
import styles from '../environment/environment.module.css';
import { EnvironmentHead, useEnvironment } from '../environment/environment-head.tsx';
import { readSnapshot } from '../environment/reads.ts';
import { SentenceOf } from '../environment/sentence-of.tsx';
import type { PageProps, ParamsOf } from '../route.ts';
import type { environmentPoliciesRoute } from './route.ts';

/** The policies that judge an environment: each rule, and how much of what runs now satisfies it. */
export default function EnvironmentPoliciesPage({ params }: PageProps<typeof environmentPoliciesRoute>) {
  const environment = useEnvironment(params);
  const hasSnapshot = everReported(environment);
  const plain = policiesSentence(environment, null);
  return (
    <>
      <EnvironmentHead
        params={params}
        environment={environment}
        current="policies"
        sentence={
          hasSnapshot ? (
            <SentenceOf otherwise={plain}>
              <Sentence params={params} policies={environment.policies} />
            </SentenceOf>
          ) : (
            plain
          )
        }
      />
      {hasSnapshot ? (
        <Panel title="Rules" note="in the versions that judged the newest snapshot" rows={6}>
          <Applied params={params} />
        </Panel>
      ) : (
        <Empty sentence="The rules are shown when the first report was judged." />
      )}
      <Panel
        title="Attach and detach"
        actions={<Writes org={params.org} writes={policyWrites(params.org, environment)} />}
      >
        <div className={styles['stack']}>
          {commandsOfPolicies({ host: location.origin, ...params }, environment.policies).map(({ what, text }) => (
            <Code key={what} what={what} wrap>
              {text}
            </Code>
          ))}
        </div>
      </Panel>
    </>
  );
}

type Params = ParamsOf<'environment-policies'>;

const Sentence = ({ params, policies }: { params: Params; policies: string[] }) => (
  <Text>{policiesSentence({ policies }, useAnswer(readSnapshot(params)))}</Text>
);

const Applied = ({ params }: { params: Params }) => (
  <AppliedPolicies org={params.org} snapshot={useAnswer(readSnapshot(params))} />
);
