import { useAnswer } from '../client/live.ts';
import { Writes } from '../parts/form/writes.tsx';
import { Empty } from '../parts/page/empty.tsx';
import { Panel } from '../parts/page/panel.tsx';
import { Code } from '../parts/text/code.tsx';
import { Text } from '../parts/text/text.tsx';
import type { ParamsOf } from '../routes/params.ts';
import type { PageProps } from '../routes/route.ts';
import styles from './environment.module.css';
import { EnvironmentHead, useEnvironment } from './environment-head.tsx';
import { policyWrites } from './forms.ts';
import { commandsOfPolicies } from './model/environment-commands.ts';
import { policiesSentence } from './model/environment-policies.ts';
import { everReported } from './operations.ts';
import { AppliedPolicies } from './present/applied-policies.tsx';
import { readSnapshot } from './reads.ts';
import type { environmentPoliciesRoute } from './routes.ts';
import { SentenceOf } from './sentence-of.tsx';

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
