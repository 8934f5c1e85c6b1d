import type { ReasonStep } from '#shared/base/reasons/steps.ts';
import { PageLink } from '../link/link.tsx';
import { StateMark } from '../text/state.tsx';
import { Text } from '../text/text.tsx';
import { kindOf, pageOfStep, type StepNode, stateOfStep, treeOf } from './model.ts';
import styles from './reasons.module.css';

interface ReasonChainProps {
  steps: readonly ReasonStep[];
  /** Steps that the answer left out. */
  leftOut?: number | undefined;
  /** What the steps explain, for readers who do not see the summary in its place: `prod`. */
  about: string;
}

/** Opens to the steps of a verdict, from what asks to what was seen last. Each links what it saw. */
export function ReasonChain({ steps, leftOut = 0, about }: ReasonChainProps) {
  if (steps.length === 0) return null;
  return (
    <details className={styles['chain']}>
      <summary>
        Why<span className="visually-hidden"> {about}</span>: {steps.length} {steps.length === 1 ? 'step' : 'steps'}
      </summary>
      <Steps nodes={treeOf(steps)} />
      {leftOut > 0 && <p className={styles['more']}>{leftOut} further steps are left out.</p>}
    </details>
  );
}

const Steps = ({ nodes }: { nodes: readonly StepNode[] }) => (
  <ul className={styles['steps']}>
    {nodes.map((node, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the steps of an answer have no other identity than their place
      <li key={n}>
        <StateMark state={stateOfStep(node)} /> <span className={styles['kind']}>{kindOf(node)}</span>{' '}
        <StepLink step={node} />
        <span className={styles['says']}>
          <Text>{node.says}</Text>
          {node.step === 'type' && node.saw !== null && (
            <>
              {' '}
              (<Text>{node.saw}</Text>)
            </>
          )}
        </span>
        {node.below.length > 0 && <Steps nodes={node.below} />}
      </li>
    ))}
  </ul>
);

function StepLink({ step }: { step: ReasonStep }) {
  const page = pageOfStep(step);
  if (page === null) return <Text>{step.name}</Text>;
  return (
    <PageLink page={page.name} params={page.params} search={page.search}>
      <Text>{step.name}</Text>
    </PageLink>
  );
}
